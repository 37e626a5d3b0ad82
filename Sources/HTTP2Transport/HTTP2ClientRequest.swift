/// A request for a client to send.
public struct HTTP2ClientRequest: Hashable, Sendable {
    /// `:method`.
    public var method: String
    /// `:path`; it never enters the peer's table of HPACK.
    public var path: String
    /// The fields, names in lower case; `:scheme` and `:authority` are the client's to add.
    public var headers: [HTTP2Header]
    /// The body; empty for none.
    ///
    /// It is read from this buffer, which may be shared by many requests.
    public var body: [UInt8]

    /// The request with those parts.
    public init(method: String, path: String, headers: [HTTP2Header], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}
