/// A request as a server has received it, whole.
public struct HTTP2Request: Sendable {
    /// The stream it came on: what `HTTP2ServerConnection.respond` is told for an answer that comes later.
    public let streamID: Int32
    /// The body; empty when there was none.
    public let body: [UInt8]

    private let fields: HTTP2Headers

    init(streamID: Int32, message: HTTP2Message) {
        self.streamID = streamID
        self.fields = message.headers
        self.body = message.body
    }

    /// `:method`.
    public var method: String { fields[":method"] ?? "" }

    /// `:path`, with its query.
    public var path: String { fields[":path"] ?? "" }

    /// All other fields but pseudo-header fields, in their order, duplicates included.
    public var headers: HTTP2Headers { fields.withoutPseudoHeaders() }
}
