/// An answer of APNs other than 200.
public struct APNsRejection: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// What APNs says is wrong.
    public let reason: APNsReason
    /// With 410: since when APNs knows that the token is dead, in milliseconds since 1970.
    ///
    /// A token that was registered later is not meant.
    public let tokenInvalidSinceMilliseconds: Int64?
    /// The `Retry-After` of the answer, when it has one; 0 to 3,600, whatever it asks for.
    public let retryAfterSeconds: Int?

    /// The refusal with those parts.
    public init(
        status: Int,
        reason: APNsReason,
        tokenInvalidSinceMilliseconds: Int64? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.reason = reason
        self.tokenInvalidSinceMilliseconds = tokenInvalidSinceMilliseconds
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// What the sender does about it.
    ///
    /// Apple gives a reason with every refusal: an answer without one comes from something in between, and passes.
    public var reaction: APNsReaction {
        if reason.text.isEmpty { return .retry }
        return reason.reaction ?? APNsReaction(status: status)
    }
}
