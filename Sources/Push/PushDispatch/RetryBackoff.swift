/// The wait before the next push to an activity after a temporary failure.
///
/// A push that was never sent says nothing about the activity, and the client probes APNs for all of them: its wait does
/// not grow, so that after an outage all pushes are sent soon.
///
/// It is exponential with full jitter, so that the pushes that failed together are not retried all at once: after n
/// earlier failures, the wait is a random time up to `base · 2ⁿ`, at most `limit`. Each try renders the newest state,
/// so a long wait costs only freshness. Apple advises 15 minutes after a 5xx ("Handling notification responses from
/// APNs"); `limit` is shorter, since a state loses its value sooner than other messages.
public struct RetryBackoff: Hashable, Sendable {
    private static let base = Duration.milliseconds(500)
    private static let limit = Duration.seconds(60)
    private static let maxDoublings = 7

    /// The number of failures since the last success.
    public private(set) var failures = 0

    /// Creates a backoff after a number of failures.
    public init(failures: Int = 0) {
        self.failures = failures
    }

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

    /// Returns the wait after a push that was never sent, which is no failure of the activity.
    /// - Parameter randomBits: uniform random bits.
    /// - Returns: a random time up to `base`.
    public func waitAfterUnsent(randomBits: UInt64) -> Duration {
        Self.base * (Double(randomBits >> 11) / Double(1 << 53))
    }

    /// Resets the number of failures, after a push that was accepted.
    public mutating func reset() {
        failures = 0
    }
}
