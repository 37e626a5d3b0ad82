/// An enumeration value from the server, which may be unknown to this version of the app.
///
/// Servers may add values. An app that is older than its server decodes them nevertheless: ``value`` is nil, and
/// ``rawValue`` has the text.
public struct OpenEnum<Value: RawRepresentable<String> & Sendable>: Sendable {
    /// The text from the server.
    public let rawValue: String

    /// Creates a value from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a value from a known one.
    public init(_ value: Value) { rawValue = value.rawValue }

    /// The known value; nil if this version does not know it.
    public var value: Value? { Value(rawValue: rawValue) }
}

extension OpenEnum: Hashable {}

extension OpenEnum: Codable {
    /// Decodes any string.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the text as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
