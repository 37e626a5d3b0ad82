public import Encodings
import Foundation

/// The injected clocks, sleep, randomness and executor: everything that a service reads from outside.
///
/// Nothing else reads a clock or draws a random number, so tests and the simulation control both.
public struct Runtime: Sendable {
    /// Returns the wall clock's time.
    public let now: @Sendable () -> Timestamp
    /// Returns 64 unpredictable random bits.
    public let randomBits: @Sendable () -> UInt64
    /// Returns the monotonic clock's time, for deadlines.
    public let uptime: @Sendable () -> ContinuousClock.Instant
    /// Suspends the task for a duration of the monotonic clock; throws `CancellationError` when the task is cancelled.
    public let sleep: @Sendable (Duration) async throws -> Void
    /// The executor of tasks that outlive their caller or are shielded from its cancellation; nil for Swift's default.
    public let executor: (any TaskExecutor)?

    /// Creates a runtime from its parts.
    /// - Parameters:
    ///   - now: the function that returns the wall clock's time.
    ///   - randomBits: the function that returns 64 unpredictable random bits.
    ///   - uptime: the function that returns the monotonic clock's time.
    ///   - sleep: the function that suspends the task for a duration of the monotonic clock.
    ///   - executor: the executor of shielded tasks.
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

    /// The machine's clocks and the system's random numbers.
    public static let system = Self(
        // A double holds microseconds since 1970 exactly until the year 2255.
        now: { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) },
        randomBits: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        }
    )

    /// Returns a generator that draws from the random bits, for identifiers, codes and seeds.
    public func generator() -> some RandomNumberGenerator {
        ClosureGenerator(bits: randomBits)
    }

    private struct ClosureGenerator: RandomNumberGenerator {
        let bits: @Sendable () -> UInt64
        func next() -> UInt64 { bits() }
    }
}
