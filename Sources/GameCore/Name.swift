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
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .controlCharacter
        }
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
    /// A line feed, a tabulator, a zero byte or the like.
    case controlCharacter

    /// What is wrong and what would be right, as a sentence's end ("must …").
    public var reason: String {
        switch self {
        case .empty: "must have at least one character that is not white space"
        case .tooLong: "must have at most \(Name.longestCharacters) characters"
        case .tooManyBytes: "must have at most \(Name.largestBytes) bytes of UTF-8; use plainer characters"
        case .controlCharacter: "must not contain control characters such as line feeds"
        }
    }
}
