/// Some seats of an adventure, lowest first; a set of eight bits, so that going through it allocates nothing.
struct Seats: Hashable, Sendable {
    private var bits: UInt8 = 0

    /// The seats below a number.
    init(below count: Int) {
        precondition((0...Adventure.mostHeroes).contains(count), "0 to 8 seats, not \(count)")
        bits = UInt8((1 << count) - 1)
    }

    var count: Int { bits.nonzeroBitCount }
    var isEmpty: Bool { bits == 0 }

    func contains(_ seat: Seat) -> Bool {
        (0..<Adventure.mostHeroes).contains(seat.rawValue) && bits & (1 << seat.rawValue) != 0
    }

    mutating func remove(_ seat: Seat) {
        bits &= ~(1 << seat.rawValue)
    }

    /// The seat that has `ordinal` others of the set below it.
    subscript(ordinal: Int) -> Seat {
        precondition(ordinal < count, "no seat number \(ordinal) among \(count)")
        var rest = bits
        for _ in 0..<ordinal {
            rest &= rest - 1
        }
        return Seat(rawValue: rest.trailingZeroBitCount)
    }
}

extension Seats: Sequence, IteratorProtocol {
    /// Takes the lowest seat out.
    mutating func next() -> Seat? {
        guard bits != 0 else { return nil }
        defer { bits &= bits - 1 }
        return Seat(rawValue: bits.trailingZeroBitCount)
    }
}
