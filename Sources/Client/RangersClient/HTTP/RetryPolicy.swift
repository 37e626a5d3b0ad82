/// A policy for retrying requests: exponential backoff with full jitter.
///
/// Each delay is drawn between zero and a bound that doubles with each failure, so that the phones that lose a server
/// at the same time do not return at the same time. A delay that the server asks for is added.
public struct RetryPolicy: Hashable, Sendable {
    /// The time after the start of the first attempt within which retries may start; zero for no retries.
    public var timeLimit: Duration
    /// The bound of the first delay.
    public var initialDelay: Duration
    /// The maximum bound.
    public var maxDelay: Duration

    /// Creates a policy.
    ///
    /// The default time limit, half a minute, is longer than a server takes to restart.
    public init(
        timeLimit: Duration = .seconds(30),
        initialDelay: Duration = .milliseconds(200),
        maxDelay: Duration = .seconds(5)
    ) {
        self.timeLimit = timeLimit
        self.initialDelay = initialDelay
        self.maxDelay = maxDelay
    }

    /// A policy without retries.
    public static let never = Self(timeLimit: .zero)

    /// Returns the delay before the next attempt.
    /// - Parameters:
    ///   - failures: the number of failed attempts, from 1.
    ///   - elapsed: the time since the start of the first attempt.
    ///   - retryAfter: the delay that the server asked for; nil for none.
    ///   - randomBits: 64 random bits, which select the delay below its bound.
    /// - Returns: the delay; nil if the time limit allows no further attempt.
    func delay(afterFailures failures: Int, elapsed: Duration, retryAfter: Duration?, randomBits: UInt64) -> Duration? {
        let delay = (retryAfter ?? .zero) + jitter(afterFailures: failures, randomBits: randomBits)
        return elapsed + delay < timeLimit ? delay : nil
    }

    /// Returns the random part of a delay.
    func jitter(afterFailures failures: Int, randomBits: UInt64) -> Duration {
        precondition(failures > 0, "a delay follows a failure")
        // The exponent is limited to avoid overflow; 2^20 times any useful initial delay exceeds the maximum.
        let bound = min(maxDelay, initialDelay * (1 << min(failures - 1, 20)))
        return bound * (Double(randomBits >> 11) / Double(1 << 53))
    }
}
