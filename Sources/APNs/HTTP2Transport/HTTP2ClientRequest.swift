/// A request for a client to send.
///
/// Copies share everything; what many requests have in common is best made once (`sharing`).
public struct HTTP2ClientRequest: Hashable, Sendable {
    /// `:method`, `:path` and the fields that belong to this request; those that it has in common with others; the body.
    let message: HTTP2SentMessage
    /// Do not send it then or later; nil for no such time.
    ///
    /// What is still waiting is never sent; a stream whose body is not wholly sent is reset.
    public var sendBy: ContinuousClock.Instant?

    /// The request with those parts.
    /// - Parameters:
    ///   - method: `:method`.
    ///   - path: `:path`; it never enters the peer's table of HPACK.
    ///   - headers: its own fields, names in lower case; `:scheme` and `:authority` are the client's to add.
    ///   - shared: further fields, which are sent after its own.
    ///   - body: the body; empty for none.
    ///   - sendBy: do not send it then or later; nil for no such time.
    public init(
        method: String,
        path: String,
        headers: [HTTP2Header] = [],
        sharing shared: HTTP2Headers = [],
        body: [UInt8] = [],
        sendBy: ContinuousClock.Instant? = nil
    ) {
        let pseudoHeaders = [HTTP2Header(":method", method), HTTP2Header(":path", path, isIndexed: false)]
        let own = HTTP2Headers(HTTP2HeaderBlock(pseudoHeaders, headers))
        self.message = HTTP2SentMessage(first: own, second: shared, body: body)
        self.sendBy = sendBy
    }

    /// The body; empty for none.
    ///
    /// It is read from this buffer, which may be shared by many requests.
    public var body: [UInt8] { message.body }
}
