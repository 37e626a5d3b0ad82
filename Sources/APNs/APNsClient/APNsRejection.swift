/// A response of APNs with a status other than 200.
public struct APNsRejection: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The reason that APNs gives.
    public let reason: APNsReason
    /// With status 410, the time at which the token became invalid, in milliseconds since 1970.
    ///
    /// The rejection does not apply to a token that was registered later.
    public let tokenInvalidSinceMilliseconds: Int64?
    /// The response's `Retry-After` in seconds, limited to 0…3,600; nil if the response has none.
    public let retryAfterSeconds: Int?

    /// Creates a rejection.
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

    /// The reaction of a sender.
    ///
    /// Apple gives a reason with every rejection. A response without one comes from another machine, such as a proxy,
    /// and is retried.
    public var reaction: APNsReaction {
        if reason.text.isEmpty { return .retry }
        return reason.reaction ?? APNsReaction(status: status)
    }
}
