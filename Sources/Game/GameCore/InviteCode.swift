/// An invite code of 8 characters, with which a player can join a party.
///
/// It encodes 40 bits in Crockford's base 32: digits and capital letters without I, L, O and U, which are easy to read
/// aloud. Typed codes may use lower case and the look-alikes I, L and O.
public struct InviteCode: RawRepresentable, Hashable, Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 8

    /// The 8 characters.
    public let rawValue: String

    /// Creates a code from its stored form.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a random code.
    /// - Parameter generator: a cryptographically secure generator, since the code grants access to the party.
    public init(using generator: inout some RandomNumberGenerator) {
        let bits = generator.next()
        rawValue = String((0..<Self.length).map { Self.alphabet[Int(bits >> (5 * UInt64($0)) & 31)] })
    }

    /// Parses a typed code, ignoring hyphens and spaces; nil if it is malformed.
    public init?(typed text: String) {
        var code = ""
        for character in text.uppercased() where character != "-" && character != " " {
            switch character {
            case "O": code.append("0")
            case "I", "L": code.append("1")
            case let character where Self.alphabet.contains(character): code.append(character)
            default: return nil
            }
        }
        guard code.count == Self.length else { return nil }
        rawValue = code
    }
}
