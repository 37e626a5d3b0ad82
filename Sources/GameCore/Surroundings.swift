/// What everything takes from outside, so that tests can give their own: nothing reads a clock or makes up a number.
public struct Surroundings: Sendable {
    /// The wall clock.
    public let now: @Sendable () -> Timestamp
    /// 64 bits that nobody can guess.
    public let randomBits: @Sendable () -> UInt64

    /// The time that nobody sets: for deadlines.
    public let uptime: @Sendable () -> ContinuousClock.Instant
    /// Waits for so long on that clock; throws `CancellationError` when the task is cancelled before.
    public let sleep: @Sendable (Duration) async throws -> Void
    /// Where tasks run that outlive their caller or are shielded from its cancellation; nil for where Swift runs them.
    public let executor: (any TaskExecutor)?

    /// The given clocks and randomness.
    /// - Parameters:
    ///   - now: the wall clock.
    ///   - randomBits: 64 bits that nobody can guess.
    ///   - uptime: the time that nobody sets.
    ///   - sleep: waits on that clock.
    ///   - executor: where shielded tasks run.
    public init(
        now: @escaping @Sendable () -> Timestamp,
        randomBits: @escaping @Sendable () -> UInt64,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        executor: (any TaskExecutor)? = nil
    ) {
        self.now = now
        self.randomBits = randomBits
        self.uptime = uptime
        self.sleep = sleep
        self.executor = executor
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
