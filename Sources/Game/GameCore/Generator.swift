/// Chance: bits from a seed, and what is made of them.
///
/// Bits are SplitMix64: a counter that grows by the golden ratio, mixed by two multiplications (Steele, Lea and Flood,
/// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, with the constants of Vigna's `splitmix64.c`). One
/// word of state, and every seed is as good as any other. It is guessable: fit for a game, never for a key.
///
/// The way from bits to choices is ours as well, since a stored adventure must replay alike on every toolchain, and the
/// standard library may change how it spends bits. Changing either changes every replay.
package struct Generator: Hashable, Sendable {
    /// All that it is: a generator that begins with this goes on the same.
    private(set) var state: UInt64

    /// A generator whose numbers follow from the seed.
    package init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    mutating func bits() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from zero up to `bound`, which is not reached; each equally likely.
    ///
    /// Lemire's multiplication ("Fast Random Integer Generation in an Interval", 2019): the high word of `bits × bound`.
    /// The few products that would favour some numbers are drawn again, so there is no bias.
    package mutating func number(below bound: Int) -> Int {
        precondition(bound > 0, "nothing to choose from")
        let bound = UInt64(bound)
        while true {
            let product = bits().multipliedFullWidth(by: bound)
            // 2^64 modulo the bound products are too many; that is less than the bound, which is cheaper to look at.
            if product.low >= bound || product.low >= (0 &- bound) % bound { return Int(product.high) }
        }
    }

    /// A number of a range, each equally likely.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }

    /// An element, each equally likely; there must be one.
    mutating func choice<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// A seat, each equally likely; there must be one.
    mutating func choice(of seats: Seats) -> Seat {
        seats[number(below: seats.count)]
    }

    /// A value, each as likely as its share of all weights; there must be one with a weight above zero.
    mutating func choice<Value>(of values: [Weighted<Value>]) -> Value {
        var rest = number(below: values.reduce(0) { $0 + $1.weight })
        for candidate in values {
            if rest < candidate.weight { return candidate.value }
            rest -= candidate.weight
        }
        preconditionFailure("a number below the sum of all weights falls to one of them")
    }

    /// A strength, give or take a fifth, and at least 1.
    mutating func spread(_ strength: Int) -> Int {
        max(strength * number(in: 80...120) / 100, 1)
    }

    /// Whether something happens that happens once in `times` times.
    mutating func happens(onceIn times: Int) -> Bool {
        number(below: times) == 0
    }
}

/// A value with how often it comes, in proportion to its neighbours.
struct Weighted<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value
    let weight: Int

    init(_ value: Value, weight: Int) {
        self.value = value
        self.weight = weight
    }
}
