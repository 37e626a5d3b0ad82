/// The SplitMix64 generator (Steele, Lea and Flood): the same sequence for the same seed on every machine.
struct SplitMix64: RandomNumberGenerator, Sendable {
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

    /// Returns a number from 0 up to, but not including, 1.
    mutating func nextFraction() -> Double {
        // A Double's significand has 53 bits.
        Double(next() >> 11) * 0x1p-53
    }
}
