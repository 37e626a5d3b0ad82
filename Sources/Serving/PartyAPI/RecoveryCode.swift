import Cryptography
import Encodings

/// A recovery code: the secret with which a player who has lost the token gets another one.
///
/// It has 125 random bits in Crockford's base 32, in groups that a person can copy from paper: digits and capital letters
/// without I, L, O and U. Only its SHA-256 is stored; with that many bits, the hash needs neither salt nor stretching.
public struct RecoveryCode: Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 25
    private static let groupLength = 5

    /// The characters without hyphens.
    private let characters: String

    /// Creates a code from 16 random bytes or more.
    init(bytes: [UInt8]) {
        precondition(bytes.count * 8 >= Self.length * 5, "a code has 125 random bits, not \(bytes.count * 8)")
        characters = String(
            (0..<Self.length).map { index in
                let bits = (index * 5..<index * 5 + 5).map { bytes[$0 / 8] >> (7 - UInt8($0 % 8)) & 1 }
                return Self.alphabet[Int(bits.reduce(0) { $0 << 1 | $1 })]
            }
        )
    }

    /// Parses a typed code, ignoring white space, hyphens and dashes, and reading look-alikes; nil if it is malformed.
    public init?(typed text: String) {
        var code = ""
        // Some spaces for each character, so that no long text is examined.
        guard text.utf8.count <= 16 * Self.length else { return nil }
        for character in text.uppercased() where !Self.isSeparator(character) {
            switch character {
            case "O": code.append("0")
            case "I", "L": code.append("1")
            case let character where Self.alphabet.contains(character): code.append(character)
            default: return nil
            }
        }
        guard code.count == Self.length else { return nil }
        characters = code
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || character.unicodeScalars.first?.properties.generalCategory == .dashPunctuation
    }

    /// The code in groups: `7G2XK-…`.
    ///
    /// Show it once, and never log it.
    public var text: String {
        stride(from: 0, to: Self.length, by: Self.groupLength)
            .map { String(characters.dropFirst($0).prefix(Self.groupLength)) }
            .joined(separator: "-")
    }

    /// The SHA-256 of the code, 32 bytes, which is stored instead of the code.
    public var hash: [UInt8] { SHA256.digest(of: "recovery code \(characters)") }
}

extension RecoveryCode: CustomStringConvertible, CustomDebugStringConvertible {
    /// A placeholder, since descriptions end up in logs.
    public var description: String { "recovery code" }

    /// The same placeholder.
    public var debugDescription: String { description }
}
