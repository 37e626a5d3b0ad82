/// Characters that nobody sees, and that nothing around them needs.
///
/// Unicode calls them default-ignorable. Some belong to how people write, each at its place, and are let through there: what
/// holds an emoji together (Unicode Technical Standard 51), what joins or separates letters of scripts that need it (RFC 5892,
/// appendices A.1 and A.2), and what chooses a form of a Chinese character or a Mongolian letter.
enum HiddenScalars {
    private static let nonJoiner: Unicode.Scalar = "\u{200c}"
    private static let joiner: Unicode.Scalar = "\u{200d}"
    private static let textStyle: Unicode.Scalar = "\u{fe0e}"
    private static let emojiStyle: Unicode.Scalar = "\u{fe0f}"
    private static let keycap: Unicode.Scalar = "\u{20e3}"
    private static let blackFlag: Unicode.Scalar = "\u{1f3f4}"
    private static let lastTag: Unicode.Scalar = "\u{e007f}"
    /// Letters and digits of a region that a flag is of: two for its country, one to four for the part (UTS 51, annex C).
    private static let tagsOfFlag = 3...6

    /// Whether a text has any, beyond those that it needs.
    static func are(in text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            defer { index += 1 }
            if scalars[index] == blackFlag {
                index += tagCount(after: index, in: scalars)
            } else if scalars[index].properties.isDefaultIgnorableCodePoint {
                guard index > 0, isNeeded(at: index, in: scalars) else { return true }
            }
        }
        return false
    }

    /// How many tags make a flag of the black one, the last one included; 0 when they make none.
    private static func tagCount(after flag: Int, in scalars: [Unicode.Scalar]) -> Int {
        let tags = scalars[(flag + 1)...].prefix { $0.isTagOfRegion }
        let end = flag + 1 + tags.count
        guard tagsOfFlag.contains(tags.count), end < scalars.count, scalars[end] == lastTag else { return 0 }
        return tags.count + 1
    }

    private static func isNeeded(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let before = scalars[index - 1]
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        // Of a consonant without its vowel, and another letter.
        let isAfterVirama = before.isVirama && after?.properties.isAlphabetic == true
        switch scalars[index] {
        case textStyle, emojiStyle:
            // A digit is an emoji as a keycap alone.
            return before.isPictograph || (before.properties.isEmoji && after == keycap)
        case joiner:
            let isAfterEmoji = before == emojiStyle ? index > 1 && scalars[index - 2].isPictograph : before.isPictograph
            return (isAfterEmoji && after?.isPictograph == true) || isAfterVirama
        case nonJoiner:
            return (before.isCursive && after?.isCursive == true) || isAfterVirama
        case "\u{180b}"..."\u{180f}":
            return before.isMongolian
        case "\u{e0100}"..."\u{e01ef}":
            return before.properties.isIdeographic
        default:
            return false
        }
    }
}

extension Unicode.Scalar {
    /// A letter or digit among the tags.
    fileprivate var isTagOfRegion: Bool {
        switch self {
        case "\u{e0030}"..."\u{e0039}", "\u{e0061}"..."\u{e007a}": true
        default: false
        }
    }

    /// An emoji by itself, of this year or, where Unicode keeps room for them, of another.
    fileprivate var isPictograph: Bool {
        if properties.isEmoji { return !isASCII }
        return properties.generalCategory == .unassigned && (0x1f000...0x1faff).contains(value)
    }

    /// What takes the vowel from a consonant in scripts of India and around it.
    fileprivate var isVirama: Bool { properties.canonicalCombiningClass == .virama }

    /// A letter of the Arabic or the Syriac script, which join theirs; or a mark on one.
    fileprivate var isCursive: Bool {
        switch value {
        case 0x0620...0x065f, 0x066e...0x06ef, 0x06fa...0x074f, 0x0750...0x077f, 0x0860...0x08ff: true
        default: false
        }
    }

    fileprivate var isMongolian: Bool { (0x1820...0x18aa).contains(value) }
}
