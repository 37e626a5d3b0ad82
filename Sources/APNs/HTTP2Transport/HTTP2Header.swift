/// One header field, or pseudo-header field, of a request or a response.
public struct HTTP2Header: Hashable, Sendable {
    /// In lower case, as on the wire (RFC 9113, section 8.2).
    public var name: String
    /// The value as text; bytes that are not UTF-8 are replaced when it is received.
    public var value: String
    /// Whether the field may enter the peer's table of HPACK.
    ///
    /// Values that hardly ever repeat (`:path`, `apns-id`, `apns-collapse-id`) stay out of it: they would push out the
    /// useful entries of its 4,096 bytes within about 50 requests.
    public var isIndexed: Bool

    /// The field with that name and value.
    public init(_ name: String, _ value: String, isIndexed: Bool = true) {
        self.name = name
        self.value = value
        self.isIndexed = isIndexed
    }
}
