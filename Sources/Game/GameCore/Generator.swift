/// A seeded pseudorandom number generator: SplitMix64, and the mapping from its bits to choices.
///
/// SplitMix64 adds the golden ratio to a counter and mixes it by two multiplications (Steele, Lea and Flood, "Fast
/// Splittable Pseudorandom Number Generators", OOPSLA 2014, with the constants of Vigna's `splitmix64.c`). Its state is
/// one word, and all seeds are equally good. Its output is predictable: never use it for keys.
///
/// The mapping from bits to choices is implemented here because the standard library may change how it consumes bits,
/// and a stored adventure must replay identically with every toolchain. A change of the bits or of the mapping changes
/// every replay.
package struct Generator: Hashable, Sendable {
    /// The complete state: a generator with this seed continues the sequence.
    private(set) var state: UInt64

    /// Creates a generator from a seed.
    package init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits.
    mutating func bits() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns a uniformly distributed number in 0..<`bound`.
    ///
    /// The number is the high word of `bits × bound` (Lemire, "Fast Random Integer Generation in an Interval", 2019).
    /// Products that would introduce bias are rejected and drawn again.
    package mutating func number(below bound: Int) -> Int {
        precondition(bound > 0, "the bound must be positive, not \(bound)")
        let bound = UInt64(bound)
        while true {
            let product = bits().multipliedFullWidth(by: bound)
            // Products with a low word below 2^64 mod bound are rejected. The cheaper comparison with the bound comes
            // first.
            if product.low >= bound || product.low >= (0 &- bound) % bound { return Int(product.high) }
        }
    }

    /// Returns a uniformly distributed number in a range.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }

    /// Returns a uniformly chosen element of a nonempty array.
    mutating func choice<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// Returns a uniformly chosen seat of a nonempty set.
    mutating func choice(of seats: SeatSet) -> Seat {
        seats[number(below: seats.count)]
    }

    /// Returns a value with a probability proportional to its weight; the weights must not all be zero.
    mutating func choice<Value>(of values: [Weighted<Value>]) -> Value {
        var rest = number(below: values.reduce(0) { $0 + $1.weight })
        for candidate in values {
            if rest < candidate.weight { return candidate.value }
            rest -= candidate.weight
        }
        preconditionFailure("a number below the sum of all weights must select a value")
    }

    /// Returns a strength varied by up to ±20 %, at least 1.
    mutating func spread(_ strength: Int) -> Int {
        max(strength * number(in: 80...120) / 100, 1)
    }

    /// Returns true with a probability of 1/`count`.
    mutating func oneIn(_ count: Int) -> Bool {
        number(below: count) == 0
    }
}

/// A value with a weight for random choices.
struct Weighted<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value
    let weight: Int

    init(_ value: Value, weight: Int) {
        self.value = value
        self.weight = weight
    }
}
