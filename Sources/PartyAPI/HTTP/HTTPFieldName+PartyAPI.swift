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

    private static func requiredName(_ text: String) -> Self {
        guard let name = Self(text) else { preconditionFailure("'\(text)' can be the name of a header") }
        return name
    }
}
