import HTTPTypes

extension HTTPField.Name {
    /// Draft "The Idempotency-Key HTTP Header Field" of the IETF; ours are bare, without its quotation marks.
    static let idempotencyKey = requiredName("Idempotency-Key")
    /// Sent by clients and proxies, and given back in every answer.
    static let requestID = requiredName("X-Request-Id")

    /// Sent by clients who come back to an event stream (WHATWG HTML, section 9.2).
    static let lastEventID = requiredName("Last-Event-ID")
    /// Tells nginx, and proxies that took it over, whether to hold back parts of an answer.
    static let accelBuffering = requiredName("X-Accel-Buffering")

    /// Written by proxies: the address from which each was asked, the last one's at the end.
    static let forwardedFor = requiredName("X-Forwarded-For")
    /// How many requests may come at once (draft-ietf-httpapi-ratelimit-headers-07, section 5.1).
    static let rateLimitLimit = requiredName("RateLimit-Limit")
    /// How many more would be taken now (section 5.3).
    static let rateLimitRemaining = requiredName("RateLimit-Remaining")
    /// In how many seconds as many as the limit are taken again (section 5.4).
    static let rateLimitReset = requiredName("RateLimit-Reset")

    private static func requiredName(_ text: String) -> Self {
        guard let name = Self(text) else { preconditionFailure("'\(text)' can be the name of a header") }
        return name
    }
}
