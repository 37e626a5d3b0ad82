/// How long to wait before an activity is pushed again after a failure that may pass.
///
/// Exponential with full jitter, so that the phones of a failed APNs server do not come back all at once: the n-th
/// wait is anything up to `base · 2ⁿ`, at most `limit`. Each try renders the state anew, so waiting costs freshness
/// and nothing else; Apple's 15 minutes for a 5xx ("Handling notification responses from APNs") are for messages that
/// keep their worth, and are kept in mind by the limit.
struct RetryBackoff: Hashable, Sendable {
    private static let base = Duration.milliseconds(500)
    private static let limit = Duration.seconds(60)
    private static let mostDoublings = 7

    /// Failures since the last success.
    private(set) var failures = 0

    /// The next wait, from uniform random bits; so much later than the peer asked for (`Retry-After`), if it did.
    mutating func wait(randomBits: UInt64, after asked: Duration = .zero) -> Duration {
        let ceiling = min(Self.limit, Self.base * (1 << min(failures, Self.mostDoublings)))
        failures += 1
        let fraction = Double(randomBits >> 11) / Double(1 << 53)
        return asked + ceiling * fraction
    }

    /// A push went through: the next failure starts from the beginning.
    mutating func reset() {
        failures = 0
    }
}
