/// Numbers that a seed decides on, the same on every machine: SplitMix64 by Steele, Lea and Flood.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    /// From 0 up to, but not including, 1.
    mutating func nextFraction() -> Double {
        // As many bits as a Double has for its digits.
        Double(next() >> 11) * 0x1p-53
    }
}
