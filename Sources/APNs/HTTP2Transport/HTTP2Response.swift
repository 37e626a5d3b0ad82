/// A response, as a server sends it and a client receives it.
public struct HTTP2Response: Hashable, Sendable {
    /// `:status`.
    public var status: Int
    /// All fields except `:status`, in order.
    public var headers: HTTP2Headers
    /// The body; empty for none.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {
        self.init(status: status, headers: HTTP2Headers(headers), body: body)
    }

    init(status: Int, headers: HTTP2Headers, body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
