package import HTTPTypes

extension HTTPField.Name {
    /// The idempotency key (IETF draft "The Idempotency-Key HTTP Header Field"), without the draft's quotation marks.
    package static let idempotencyKey = requiredName("Idempotency-Key")
    /// Marks the response of an earlier request with the same idempotency key.
    package static let idempotentReplayed = requiredName("Idempotent-Replayed")
    /// The request identifier: from the client or a proxy, and in every response.
    package static let requestID = requiredName("X-Request-Id")

    /// The last event that a reconnecting client has received (WHATWG HTML, section 9.2).
    package static let lastEventID = requiredName("Last-Event-ID")
    /// Turns off response buffering in nginx and compatible proxies.
    package static let accelBuffering = requiredName("X-Accel-Buffering")

    /// The peer address of each proxy between client and server, in order.
    package static let forwardedFor = requiredName("X-Forwarded-For")
    /// The burst size of the rate limit (draft-ietf-httpapi-ratelimit-headers-07, section 5.1).
    package static let rateLimitLimit = requiredName("RateLimit-Limit")
    /// The number of further requests that would be accepted now (section 5.3).
    package static let rateLimitRemaining = requiredName("RateLimit-Remaining")
    /// The seconds until the whole burst is available again (section 5.4).
    package static let rateLimitReset = requiredName("RateLimit-Reset")

    /// The daily quota that the request has used, or would have used.
    package static let quotaLimit = requiredName("Quota-Limit")
    /// How much of the quota is left.
    package static let quotaRemaining = requiredName("Quota-Remaining")
    /// The seconds until the whole quota is available again.
    package static let quotaReset = requiredName("Quota-Reset")

    private static func requiredName(_ text: String) -> Self {
        guard let name = Self(text) else { preconditionFailure("'\(text)' is not a valid header name") }
        return name
    }
}
