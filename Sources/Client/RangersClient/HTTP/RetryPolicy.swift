/// How often, and how soon, a request is sent again whose answer was lost or put off.
///
/// A pause is drawn between nothing and a bound that doubles with each failure (full jitter), so that the many phones that
/// lose one server do not come back together. Where the server says when to come back, the pause is added to that.
public struct RetryPolicy: Hashable, Sendable {
    /// For how long after the first try another may begin; zero for one try.
    public var patience: Duration
    /// The bound of the first pause.
    public var firstPause: Duration
    /// What the bound grows to.
    public var longestPause: Duration

    /// A policy; as it stands, tries within half a minute, which is longer than a server takes to restart.
    public init(
        patience: Duration = .seconds(30),
        firstPause: Duration = .milliseconds(200),
        longestPause: Duration = .seconds(5)
    ) {
        self.patience = patience
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// One try.
    public static let never = Self(patience: .zero)

    /// How long to wait before the next try.
    /// - Parameters:
    ///   - failures: how many tries have failed, 1 and up.
    ///   - elapsed: time since the first try began.
    ///   - retryAfter: what the server asked for, if it did.
    ///   - randomBits: where the pause lies between nothing and its bound.
    /// - Returns: nil when there is no time for another try.
    func pause(afterFailures failures: Int, elapsed: Duration, retryAfter: Duration?, randomBits: UInt64) -> Duration? {
        let pause = (retryAfter ?? .zero) + jitter(afterFailures: failures, randomBits: randomBits)
        return elapsed + pause < patience ? pause : nil
    }

    /// The part of the pause that is drawn.
    func jitter(afterFailures failures: Int, randomBits: UInt64) -> Duration {
        precondition(failures > 0, "a pause follows a failure")
        // 2^20 of the shortest pause is longer than any.
        let bound = min(longestPause, firstPause * (1 << min(failures - 1, 20)))
        return bound * (Double(randomBits >> 11) / Double(1 << 53))
    }
}
