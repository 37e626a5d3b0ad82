/// The wait before the next push to an activity after a temporary failure.
///
/// Exponential with full jitter, so that the phones of a failed APNs server do not retry all at once: the n-th wait is a random
/// time up to `base · 2ⁿ`, at most `limit`. Each try renders the newest state, so a long wait costs freshness and nothing
/// else. The 15 minutes that Apple advises for a 5xx ("Handling notification responses from APNs") are meant for messages that
/// keep their value; the limit accounts for them.
public struct RetryBackoff: Hashable, Sendable {
    private static let base = Duration.milliseconds(500)
    private static let limit = Duration.seconds(60)
    private static let maxDoublings = 7

    /// The number of failures since the last success.
    public private(set) var failures = 0

    /// Creates a backoff without failures.
    public init() {}

    /// Counts a failure and returns the next wait.
    /// - Parameters:
    ///   - randomBits: uniform random bits.
    ///   - requested: the delay that the peer requested (`Retry-After`), to which the wait is added.
    /// - Returns: the wait.
    public mutating func wait(randomBits: UInt64, after requested: Duration = .zero) -> Duration {
        let ceiling = min(Self.limit, Self.base * (1 << min(failures, Self.maxDoublings)))
        failures += 1
        let fraction = Double(randomBits >> 11) / Double(1 << 53)
        return requested + ceiling * fraction
    }

    /// Forgets the failures, after a push that was accepted.
    public mutating func reset() {
        failures = 0
    }
}
