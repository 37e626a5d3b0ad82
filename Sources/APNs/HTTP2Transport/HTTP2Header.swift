/// A header field or pseudo-header field of a request or response.
public struct HTTP2Header: Hashable, Sendable {
    /// The name in lower case, as on the wire (RFC 9113, section 8.2).
    public var name: String
    /// The value; invalid UTF-8 in received values is replaced.
    public var value: String
    /// Whether the field may enter the peer's HPACK table.
    ///
    /// Values that rarely repeat (`:path`, `apns-id`, `apns-collapse-id`) should not: within about 50 requests they
    /// would evict the useful entries from its 4,096 bytes.
    public var isIndexed: Bool

    /// Creates a field.
    public init(_ name: String, _ value: String, isIndexed: Bool = true) {
        self.name = name
        self.value = value
        self.isIndexed = isIndexed
    }
}
