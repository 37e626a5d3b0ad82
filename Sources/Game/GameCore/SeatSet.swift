/// A set of seats as eight bits, iterated from the lowest seat without allocations.
struct SeatSet: Hashable, Sendable {
    private var bits: UInt8 = 0

    /// Creates the set of the seats 0..<`count`.
    init(below count: Int) {
        precondition((0...Adventure.maxHeroes).contains(count), "a set has 0 to 8 seats, not \(count)")
        bits = UInt8((1 << count) - 1)
    }

    var count: Int { bits.nonzeroBitCount }
    var isEmpty: Bool { bits == 0 }

    func contains(_ seat: Seat) -> Bool {
        (0..<Adventure.maxHeroes).contains(seat.rawValue) && bits & (1 << seat.rawValue) != 0
    }

    mutating func remove(_ seat: Seat) {
        bits &= ~(1 << seat.rawValue)
    }

    /// The seat at an index, counted from the lowest seat of the set.
    subscript(index: Int) -> Seat {
        precondition(index < count, "index \(index) is out of range in a set of \(count) seats")
        var rest = bits
        for _ in 0..<index {
            rest &= rest - 1
        }
        return Seat(rawValue: rest.trailingZeroBitCount)
    }
}

extension SeatSet: Sequence, IteratorProtocol {
    /// Removes and returns the lowest seat.
    mutating func next() -> Seat? {
        guard bits != 0 else { return nil }
        defer { bits &= bits - 1 }
        return Seat(rawValue: bits.trailingZeroBitCount)
    }
}
