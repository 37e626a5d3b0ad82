/// A request to send with a client.
///
/// Copies share their storage. Create fields that many requests have in common once, and pass them as `sharing`.
public struct HTTP2ClientRequest: Hashable, Sendable {
    /// `:method`, `:path` and the request's own fields, then the shared fields, and the body.
    let message: HTTP2SentMessage
    /// The time from which the request must not be sent; nil for none.
    ///
    /// A waiting request is not sent; a stream with an incompletely sent body is reset.
    public var sendBy: ContinuousClock.Instant?

    /// Creates a request.
    /// - Parameters:
    ///   - method: `:method`.
    ///   - path: `:path`; it never enters the peer's HPACK table.
    ///   - headers: the request's own fields, with names in lower case; the client adds `:scheme` and `:authority`.
    ///   - shared: further fields, which are sent after `headers`.
    ///   - body: the body; empty for none.
    ///   - sendBy: the time from which the request must not be sent; nil for none.
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

    /// Creates a request from the fields that a writer has collected.
    /// - Parameters:
    ///   - fields: the writer of the request's own fields, beginning with `:method` and `:path`.
    ///   - shared: further fields, which are sent after the request's own.
    ///   - body: the body; empty for none.
    ///   - sendBy: the time from which the request must not be sent; nil for none.
    public init(
        _ fields: inout HTTP2HeaderWriter,
        sharing shared: HTTP2Headers,
        body: [UInt8],
        sendBy: ContinuousClock.Instant?
    ) {
        self.message = HTTP2SentMessage(first: HTTP2Headers(fields.take()), second: shared, body: body)
        self.sendBy = sendBy
    }

    /// The body; empty for none.
    ///
    /// Many requests may share this buffer.
    public var body: [UInt8] { message.body }
}
