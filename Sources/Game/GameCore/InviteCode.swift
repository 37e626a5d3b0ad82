/// What a player tells a friend so that the friend can join: 8 characters.
///
/// Crockford's base 32 (digits and capital letters without I, L, O and U): 40 bits, easy to read out. Lower case and
/// the look-alikes are understood when a code is typed in.
public struct InviteCode: RawRepresentable, Hashable, Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 8

    /// 8 characters of the alphabet.
    public let rawValue: String

    /// A code as it was stored.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A new code.
    /// - Parameter generator: a source that cannot be guessed, since a code is a key.
    public init(using generator: inout some RandomNumberGenerator) {
        let bits = generator.next()
        rawValue = String((0..<Self.length).map { Self.alphabet[Int(bits >> (5 * UInt64($0)) & 31)] })
    }

    /// A code as a person typed it, or nil when no code can look like that.
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
