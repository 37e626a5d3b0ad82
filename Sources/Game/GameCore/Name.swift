import Foundation

/// A name that people chose: of a player or a party.
///
/// In Unicode's normalization form C, so that one name has the same bytes whatever keyboard it was typed on.
public struct Name: Hashable, Sendable {
    /// What a Lock Screen can show and 4,096 bytes can hold for eight heroes.
    public static let longestCharacters = 30
    /// Some characters are dozens of bytes long (families of emoji).
    public static let largestBytes = 120

    /// More than a name within the limits can have that is typed in another form (Hangul in its letters has thrice as many).
    private static let largestTypedBytes = 4 * largestBytes

    /// The name in form C, without white space at its ends.
    public let text: String

    /// A name as a person typed it.
    /// - Throws: ``NameRefusal`` that says what is wrong.
    public init(_ typed: String) throws(NameRefusal) {
        let trimmed = String(typed.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        // Judged first, since putting thousands of combining marks in order takes long.
        guard trimmed.utf8.count <= Self.largestTypedBytes else {
            throw trimmed.count > Self.longestCharacters ? .tooLong : .tooManyBytes
        }
        let text = trimmed.precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw .empty }
        guard text.count <= Self.longestCharacters else { throw .tooLong }
        guard text.utf8.count <= Self.largestBytes else { throw .tooManyBytes }
        guard !text.unicodeScalars.contains(where: \.isControl) else { throw .controlCharacter }
        guard !text.unicodeScalars.contains(where: \.isNobodys) else { throw .noCharacter }
        guard text.unicodeScalars.contains(where: \.isSeen) else { throw .empty }
        guard !HiddenScalars.are(in: text) else { throw .hiddenCharacter }
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
    /// What Unicode has given to nobody to write with: private use, which each font shows in its own way, or never a
    /// character at all.
    case noCharacter
    /// What nobody sees: zero width, soft hyphens, tags and the like, with which two names look like one. Those that make an
    /// emoji or a script what it is are none.
    case hiddenCharacter

    /// What is wrong and what would be right, as a sentence's end ("must …").
    public var reason: String {
        switch self {
        case .empty: "must have at least one character that can be seen"
        case .tooLong: "must have at most \(Name.longestCharacters) characters"
        case .tooManyBytes: "must have at most \(Name.largestBytes) bytes of UTF-8; use plainer characters"
        case .controlCharacter: "must not contain control characters such as line feeds or changes of direction"
        case .noCharacter: "must not contain characters of private use, or what is no character"
        case .hiddenCharacter: "must not contain characters that nobody sees, such as spaces of no width"
        }
    }
}

extension Unicode.Scalar {
    /// Whether it overrides or embeds a direction of writing (Unicode Standard Annex 9).
    ///
    /// On a Lock Screen it would turn what stands after the name as well.
    private var turnsText: Bool {
        switch value {
        case 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether it steers text rather than being text.
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: turnsText
        }
    }

    /// Whether nobody can know what it shows.
    ///
    /// What is merely not assigned yet is taken: phones know new emoji before this program does.
    fileprivate var isNobodys: Bool {
        properties.generalCategory == .privateUse || properties.isNoncharacterCodePoint
    }

    /// Whether a reader sees it by itself: neither white space nor invisible by nature, and no mark on what is missing.
    fileprivate var isSeen: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: false
        default: !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && self != Self.brailleBlank
        }
    }

    /// Braille without a dot: a symbol to Unicode, and white space to a reader.
    private static let brailleBlank: Self = "\u{2800}"
}
