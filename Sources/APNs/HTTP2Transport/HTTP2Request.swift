/// A complete request that a server received.
public struct HTTP2Request: Sendable {
    /// The stream of the request, for a later call of `HTTP2ServerConnection.respond`.
    public let streamID: Int32
    /// The body; empty for none.
    public let body: [UInt8]

    private let fields: HTTP2Headers

    init(streamID: Int32, message: HTTP2Message) {
        self.streamID = streamID
        self.fields = message.headers
        self.body = message.body
    }

    /// `:method`.
    public var method: String { fields[":method"] ?? "" }

    /// `:path`, including the query.
    public var path: String { fields[":path"] ?? "" }

    /// All fields except pseudo-header fields, in order, including duplicates.
    public var headers: HTTP2Headers { fields.withoutPseudoHeaders() }
}
