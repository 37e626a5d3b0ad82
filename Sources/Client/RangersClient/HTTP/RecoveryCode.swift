/// A recovery code, with which a player who has lost the token gets another one.
///
/// Show it to the player, who keeps it apart from the device. The server returns a code only once, and anyone who has it can
/// act as the player.
public struct RecoveryCode: Codable, Hashable, Sendable {
    /// The code itself; do not log it.
    public let text: String

    /// Creates a code from what the player typed.
    public init(_ text: String) { self.text = text }

    /// Decodes the code from a string.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the code as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension RecoveryCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder without any part of the code, because descriptions end up in logs.
    public var description: String { "recovery code" }

    /// The same placeholder as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not print the code either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
