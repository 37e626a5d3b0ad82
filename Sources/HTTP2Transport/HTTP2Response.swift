/// An answer, as a server gives it and as a client gets it.
public struct HTTP2Response: Hashable, Sendable {
    /// `:status`.
    public var status: Int
    /// All fields but `:status`, in their order.
    public var headers: HTTP2Headers
    /// The body; empty when there is none.
    public var body: [UInt8]

    /// The answer with that status, those fields and that body.
    public init(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = HTTP2Headers(headers)
        self.body = body
    }

    /// Nil when `:status` is missing, which nghttp2 lets no peer do.
    init?(_ message: consuming HTTP2Message) {
        guard let status = message.headers.status else { return nil }
        self.status = status
        self.headers = message.headers.withoutPseudoHeaders
        self.body = message.body
    }
}
