/// A request as a server has received it, whole.
public struct HTTP2Request: Sendable {
    /// The stream it came on: what `HTTP2ServerConnection.respond` is told for an answer that comes later.
    public let streamID: Int32
    /// `:method`.
    public let method: String
    /// `:path`, with its query.
    public let path: String
    /// All other fields but pseudo-header fields, in their order, duplicates included.
    public let headers: [HTTP2Header]
    /// The body; empty when there was none.
    public let body: [UInt8]

    init(streamID: Int32, message: HTTP2Message) {
        self.streamID = streamID
        self.method = message.headers[":method"] ?? ""
        self.path = message.headers[":path"] ?? ""
        self.headers = message.headers.filter { !$0.name.hasPrefix(":") }
        self.body = message.body
    }
}
