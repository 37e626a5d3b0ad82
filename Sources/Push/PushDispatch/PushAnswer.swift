/// What became of a push, as far as it decides what happens next.
public enum PushAnswer: Hashable, Sendable {
    /// APNs accepted it.
    case accepted
    /// APNs rejected it.
    case rejected(PushRejection)
    /// It was sent, and it is unknown whether APNs accepted it.
    case unanswered
    /// APNs did not get it, or did not process it.
    case neverSent
}

/// A rejection of a push by APNs.
public struct PushRejection: Hashable, Sendable {
    /// What APNs objects to.
    public enum Fault: Hashable, Sendable {
        /// The token, or else the topic or the environment.
        case token
        /// The key, team, topic or environment.
        case configuration
        /// Too frequent changes of the provider token.
        case tokenRenewalRate
        /// The message, a temporary condition, or a token that APNs knows to be dead.
        case other
    }

    /// What the sender does about it.
    public enum Remedy: Hashable, Sendable {
        /// Sends the newest state after a short wait.
        case retry
        /// Sends the newest state after a long wait: only an operator can remove the cause.
        case pause
        /// Sends this state never again.
        case drop
        /// Sends nothing to the token any more.
        case forgetToken
    }

    /// The reason that APNs gives, such as `BadDeviceToken`; empty without one.
    public let reason: String
    /// The HTTP status of the response; nil if it is unknown.
    public let status: Int?
    /// What APNs objects to.
    public let fault: Fault
    /// What the sender does about it.
    public let remedy: Remedy
    /// The wait that APNs asks for; zero if it asks for none.
    public let retryAfter: Duration
    /// Since when APNs knows the token to be dead, in milliseconds since 1970; nil if it does not say.
    ///
    /// The rejection does not apply to a token that was registered later.
    public let tokenInvalidSinceMilliseconds: Int64?

    /// Creates a rejection.
    public init(
        reason: String,
        status: Int? = nil,
        fault: Fault,
        remedy: Remedy,
        retryAfter: Duration = .zero,
        tokenInvalidSinceMilliseconds: Int64? = nil
    ) {
        self.reason = reason
        self.status = status
        self.fault = fault
        self.remedy = remedy
        self.retryAfter = retryAfter
        self.tokenInvalidSinceMilliseconds = tokenInvalidSinceMilliseconds
    }
}
