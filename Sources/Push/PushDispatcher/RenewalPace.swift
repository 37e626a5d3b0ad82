/// When a dispatcher renews its leases next: three times while they last, and soon again after a failure.
///
/// A connection that breaks at the wrong moment must not cost a lease: of the time that a renewal leaves to send, most is left
/// when it fails, and is spent on further tries. They come more and more slowly, down to the usual pace, so that a database
/// that is away for long is not asked for more than when it is there.
struct RenewalPace: Sendable {
    /// After so many failures the pace is the usual one: it doubles that often.
    private static let mostDoublings = 5

    /// The usual time between two renewals.
    let interval: Duration
    /// Failures since the last success.
    private var failures = 0

    /// The pace for leases of some duration.
    init(of leaseDuration: Duration) {
        interval = leaseDuration / 3
    }

    /// Whether a lease is renewed, by how long ago that was asked for last: not again where what was sent was written down, or others
    /// failed, a moment ago.
    func isDue(after age: Duration) -> Bool { age >= interval / 2 }

    /// The wait until the next renewal.
    /// - Parameters:
    ///   - isAnswered: whether all that was to be renewed is, or is lost; not where the database failed or a row was locked.
    ///   - randomBits: uniform; nodes that lost the same database do not all come back at once.
    /// - Returns: the interval after an answer; after the n-th failure anything from half of `interval · 2ⁿ / 32` to all of it,
    ///   and no more than the interval.
    mutating func wait(isAnswered: Bool, randomBits: UInt64) -> Duration {
        guard !isAnswered else {
            failures = 0
            return interval
        }
        failures = min(failures + 1, Self.mostDoublings)
        let ceiling = interval * (1 << failures) / (1 << Self.mostDoublings)
        return ceiling * (0.5 + Double(randomBits >> 11) / Double(1 << 54))
    }
}
