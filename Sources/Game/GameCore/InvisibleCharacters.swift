/// A check for invisible characters that their context does not require.
///
/// These are Unicode's default-ignorable code points. Some of them are valid in certain contexts: joiners and variation
/// selectors in emoji (Unicode Technical Standard 51), joiners and non-joiners between letters of scripts that need
/// them (RFC 5892, appendices A.1 and A.2), and variation selectors after Chinese characters or Mongolian letters.
enum InvisibleCharacters {
    private static let nonJoiner: Unicode.Scalar = "\u{200c}"
    private static let joiner: Unicode.Scalar = "\u{200d}"
    private static let textStyle: Unicode.Scalar = "\u{fe0e}"
    private static let emojiStyle: Unicode.Scalar = "\u{fe0f}"
    private static let keycap: Unicode.Scalar = "\u{20e3}"
    private static let blackFlag: Unicode.Scalar = "\u{1f3f4}"
    private static let lastTag: Unicode.Scalar = "\u{e007f}"
    /// The number of tag characters in a subdivision flag: two for the country and one to four for the subdivision (UTS
    /// 51, annex C).
    private static let flagTagCounts = 3...6

    /// Returns whether a text contains invisible characters that their context does not require.
    static func occur(in text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            defer { index += 1 }
            if scalars[index] == blackFlag {
                index += tagCount(after: index, in: scalars)
            } else if scalars[index].properties.isDefaultIgnorableCodePoint {
                guard index > 0, isRequired(at: index, in: scalars) else { return true }
            }
        }
        return false
    }

    /// Returns the number of tags that turn a black flag into a subdivision flag, including the cancel tag; 0 if the
    /// tags do not form one.
    private static func tagCount(after flag: Int, in scalars: [Unicode.Scalar]) -> Int {
        let tags = scalars[(flag + 1)...].prefix { $0.isSubdivisionTag }
        let end = flag + 1 + tags.count
        guard flagTagCounts.contains(tags.count), end < scalars.count, scalars[end] == lastTag else { return 0 }
        return tags.count + 1
    }

    private static func isRequired(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let before = scalars[index - 1]
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        // Joiners after a virama choose how it combines with the next letter.
        let isAfterVirama = before.isVirama && after?.properties.isAlphabetic == true
        switch scalars[index] {
        case textStyle, emojiStyle:
            // Digits are emoji only in keycap sequences.
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
    /// Whether the scalar is a tag letter or tag digit.
    fileprivate var isSubdivisionTag: Bool {
        switch self {
        case "\u{e0030}"..."\u{e0039}", "\u{e0061}"..."\u{e007a}": true
        default: false
        }
    }

    /// Whether the scalar is an emoji, or unassigned in a block that Unicode reserves for emoji.
    fileprivate var isPictograph: Bool {
        if properties.isEmoji { return !isASCII }
        return properties.generalCategory == .unassigned && (0x1f000...0x1faff).contains(value)
    }

    /// Whether the scalar is a virama, which removes the vowel of a consonant in Indic scripts.
    fileprivate var isVirama: Bool { properties.canonicalCombiningClass == .virama }

    /// Whether the scalar is a letter, or a mark on one, of the cursive Arabic and Syriac scripts.
    fileprivate var isCursive: Bool {
        switch value {
        case 0x0620...0x065f, 0x066e...0x06ef, 0x06fa...0x074f, 0x0750...0x077f, 0x0860...0x08ff: true
        default: false
        }
    }

    fileprivate var isMongolian: Bool { (0x1820...0x18aa).contains(value) }
}
