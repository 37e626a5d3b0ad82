/// What everything takes from outside, so that tests can give their own: nothing reads a clock or makes up a number.
public struct Surroundings: Sendable {
    /// The wall clock.
    public let now: @Sendable () -> Timestamp
    /// 64 bits that nobody can guess.
    public let randomBits: @Sendable () -> UInt64

    /// The given clock and randomness.
    public init(now: @escaping @Sendable () -> Timestamp, randomBits: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.randomBits = randomBits
    }

    /// A generator over the random bits, for identifiers, codes and seeds.
    public func generator() -> some RandomNumberGenerator {
        ClosureGenerator(bits: randomBits)
    }

    private struct ClosureGenerator: RandomNumberGenerator {
        let bits: @Sendable () -> UInt64
        func next() -> UInt64 { bits() }
    }
}
