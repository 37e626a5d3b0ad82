/// A word of a set that may grow: an app that is older than its server meets words that it does not know, and still reads
/// the rest of the answer.
public struct Word<Value: RawRepresentable<String> & Sendable>: Sendable {
    /// The word itself.
    public let rawValue: String

    /// That word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The word for a value.
    public init(_ value: Value) { rawValue = value.rawValue }

    /// What the word means; nil when this version does not know it.
    public var value: Value? { Value(rawValue: rawValue) }
}

extension Word: Hashable {}

extension Word: Codable {
    /// Decodes any text.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
