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
        self.init(status: status, headers: HTTP2Headers(headers), body: body)
    }

    init(status: Int, headers: HTTP2Headers, body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
