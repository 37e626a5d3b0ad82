import Foundation

/// A valid name of a player or a party.
///
/// Names are in Unicode normalization form C, so that the same name has the same bytes on every keyboard.
public struct Name: Hashable, Sendable {
    /// The maximum number of characters, limited by the space on a Lock Screen and by the payload size for eight
    /// heroes.
    public static let maxCharacters = 30
    /// The maximum number of bytes; one character can have dozens, such as a family emoji.
    public static let maxBytes = 120

    /// The maximum number of bytes before normalization.
    ///
    /// Other forms are longer: decomposed Hangul has three times the bytes.
    private static let maxTypedBytes = 4 * maxBytes

    /// The normalized name without surrounding white space.
    public let text: String

    /// Validates and normalizes a typed name.
    /// - Throws: the ``NameRefusal`` for the first rule that the name breaks.
    public init(_ typed: String) throws(NameRefusal) {
        let trimmed = String(typed.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        // Checked before normalization, because ordering thousands of combining marks is slow.
        guard trimmed.utf8.count <= Self.maxTypedBytes else {
            throw trimmed.count > Self.maxCharacters ? .tooLong : .tooManyBytes
        }
        let text = trimmed.precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw .empty }
        guard text.count <= Self.maxCharacters else { throw .tooLong }
        guard text.utf8.count <= Self.maxBytes else { throw .tooManyBytes }
        guard !text.unicodeScalars.contains(where: \.isControl) else { throw .controlCharacter }
        guard !text.unicodeScalars.contains(where: \.isUnassignable) else { throw .unassignableCharacter }
        guard text.unicodeScalars.contains(where: \.isVisible) else { throw .empty }
        guard !InvisibleCharacters.occur(in: text) else { throw .invisibleCharacter }
        self.text = text
    }
}

/// The reason why a name is invalid.
public enum NameRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The name is empty or contains only white space and invisible characters.
    case empty
    /// The name has more than 30 characters (extended grapheme clusters).
    case tooLong
    /// The name has more than 120 bytes of UTF-8.
    case tooManyBytes
    /// The name contains a control character such as a line feed, or one that changes the writing direction of other
    /// text.
    case controlCharacter
    /// The name contains a private-use character, which each font shows differently, or a noncharacter.
    case unassignableCharacter
    /// The name contains an invisible character such as a zero-width space, with which two different names look the
    /// same. Invisible characters that an emoji or a script requires are valid.
    case invisibleCharacter

    /// The rule that the name breaks, as a clause that begins with "must".
    public var reason: String {
        switch self {
        case .empty: "must have at least one visible character"
        case .tooLong: "must have at most \(Name.maxCharacters) characters"
        case .tooManyBytes: "must have at most \(Name.maxBytes) bytes of UTF-8; use simpler characters"
        case .controlCharacter: "must not contain control characters such as line feeds or direction overrides"
        case .unassignableCharacter: "must not contain private-use characters or noncharacters"
        case .invisibleCharacter: "must not contain invisible characters such as zero-width spaces"
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar overrides or embeds a writing direction (Unicode Standard Annex 9), which would affect the
    /// text after the name as well.
    private var changesDirection: Bool {
        switch value {
        case 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether the scalar is a control character, a line or paragraph separator, or changes the writing direction.
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: changesDirection
        }
    }

    /// Whether Unicode will never assign a character to the scalar.
    ///
    /// Scalars that are not assigned yet are valid: phones may support newer emoji than this program.
    fileprivate var isUnassignable: Bool {
        properties.generalCategory == .privateUse || properties.isNoncharacterCodePoint
    }

    /// Whether the scalar is visible on its own: not white space, default-ignorable or a combining mark.
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: false
        default: !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && self != Self.brailleBlank
        }
    }

    /// The Braille pattern without dots: Unicode calls it a symbol, but it looks like white space.
    private static let brailleBlank: Self = "\u{2800}"
}
