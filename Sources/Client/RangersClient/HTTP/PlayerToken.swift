/// A bearer token that authenticates a player.
///
/// Store it in the keychain. The server returns a token only once, and anyone who has it can act as the player.
public struct PlayerToken: Codable, Hashable, Sendable {
    /// The token itself; do not log it.
    public let text: String

    /// Creates a token from a stored one.
    public init(_ text: String) { self.text = text }

    /// Decodes the token from a string.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the token as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension PlayerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder without any part of the token, because descriptions end up in logs.
    public var description: String { "erp_…" }

    /// The same placeholder as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not print the token either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
