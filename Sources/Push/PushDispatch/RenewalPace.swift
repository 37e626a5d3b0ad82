/// Decides when a dispatcher renews its leases next: three times within the duration of a lease, and sooner after a
/// failure.
///
/// A brief failure of the connection must not cost a lease. When a renewal fails, the lease still allows pushes for
/// most of its duration, and this time is used for further tries. The tries slow down to the usual pace, so that a
/// database that stays unavailable gets no more requests than usual.
public struct RenewalPace: Sendable {
    /// The number of failures after which the wait is the usual interval; each failure doubles the wait.
    private static let maxDoublings = 5

    /// The usual time between two renewals.
    public let interval: Duration
    /// The number of failures since the last success.
    private var failures = 0

    /// Creates the pace for leases of some duration.
    public init(of leaseDuration: Duration) {
        interval = leaseDuration / 3
    }

    /// Returns whether a lease is due for renewal.
    ///
    /// A lease that was renewed a moment ago, by a flush or while the renewal of others failed, is not renewed again.
    /// - Parameter age: the time since the lease was last renewed.
    /// - Returns: whether `age` is at least half the interval.
    public func isDue(after age: Duration) -> Bool { age >= interval / 2 }

    /// Returns the wait until the next renewal.
    /// - Parameters:
    ///   - succeeded: whether every lease that was due is renewed or known to be lost; false if the database failed or
    ///     a row was locked.
    ///   - randomBits: uniform random bits, so that the nodes of a failed database do not all retry at once.
    /// - Returns: the interval after a success; after the n-th failure a random time between half of `interval · 2ⁿ /
    ///   32` and all of it, at most the interval.
    public mutating func wait(succeeded: Bool, randomBits: UInt64) -> Duration {
        guard !succeeded else {
            failures = 0
            return interval
        }
        failures = min(failures + 1, Self.maxDoublings)
        let ceiling = interval * (1 << failures) / (1 << Self.maxDoublings)
        return ceiling * (0.5 + Double(randomBits >> 11) / Double(1 << 54))
    }
}
