/// The secret with which an app proves to speak for its player.
///
/// Keep it in the keychain: the server shows it once, and whoever has it is the player.
public struct PlayerToken: Codable, Hashable, Sendable {
    /// The token itself; not to be logged.
    public let text: String

    /// A token as the server gave it.
    public init(_ text: String) { self.text = text }

    /// Decodes the text alone.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the text alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension PlayerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the token, since descriptions end up in logs.
    public var description: String { "erp_…" }

    /// The same.
    public var debugDescription: String { description }

    /// The same: `dump` looks past descriptions.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
