/// A name that people chose: of a player or a party.
public struct Name: Hashable, Sendable {
    /// What a Lock Screen can show and 4,096 bytes can hold for eight heroes.
    public static let longestCharacters = 30
    /// Some characters are dozens of bytes long (families of emoji).
    public static let largestBytes = 120

    /// The name without white space at its ends.
    public let text: String

    /// A name as a person typed it.
    /// - Throws: ``NameRefusal`` that says what is wrong.
    public init(_ typed: String) throws(NameRefusal) {
        let text = String(typed.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !text.isEmpty else { throw .empty }
        guard text.count <= Self.longestCharacters else { throw .tooLong }
        guard text.utf8.count <= Self.largestBytes else { throw .tooManyBytes }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control && !$0.turnsText }) else {
            throw .controlCharacter
        }
        guard text.unicodeScalars.contains(where: \.isSeen) else { throw .empty }
        self.text = text
    }
}

/// Why a name cannot be taken.
public enum NameRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// Nothing, or white space alone.
    case empty
    /// More than 30 characters as a reader counts them.
    case tooLong
    /// More than 120 bytes of UTF-8.
    case tooManyBytes
    /// A line feed, a tabulator, a zero byte or the like, or what turns the direction of other people's text.
    case controlCharacter

    /// What is wrong and what would be right, as a sentence's end ("must …").
    public var reason: String {
        switch self {
        case .empty: "must have at least one character that can be seen"
        case .tooLong: "must have at most \(Name.longestCharacters) characters"
        case .tooManyBytes: "must have at most \(Name.largestBytes) bytes of UTF-8; use plainer characters"
        case .controlCharacter: "must not contain control characters such as line feeds or changes of direction"
        }
    }
}

extension Unicode.Scalar {
    /// Whether it overrides or embeds a direction of writing (Unicode Standard Annex 9).
    ///
    /// On a Lock Screen it would turn what stands after the name as well. Marks that only hint at a direction do no harm.
    fileprivate var turnsText: Bool {
        switch value {
        case 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a reader sees it: neither white space nor invisible by nature.
    fileprivate var isSeen: Bool {
        !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
    }
}
