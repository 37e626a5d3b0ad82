/// The width of texts in terminal columns.
///
/// Most characters take one column, emoji and East Asian characters two, combining marks none. No library function
/// covers emoji, so the width is computed for each grapheme cluster, as terminals with grapheme clustering do.
public enum DisplayWidth {
    /// Returns the width of a text.
    public static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// Returns the width of a character: 0, 1 or 2.
    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if isEmoji(character, beginningWith: first) || wide.contains(where: { $0.contains(first.value) }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return 0
        default: return 1
        }
    }

    /// Returns a text truncated to a width, with `…` at its end if it was truncated.
    public static func fit(_ text: String, into columns: Int) -> String {
        guard of(text) > columns else { return text }
        var kept = ""
        var used = 1
        for character in text {
            used += of(character)
            guard used <= columns else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// Returns whether a character is displayed as an emoji, by default or by the variation selector U+FE0F.
    private static func isEmoji(_ character: Character, beginningWith first: Unicode.Scalar) -> Bool {
        first.properties.isEmojiPresentation
            || (first.properties.isEmoji && character.unicodeScalars.contains("\u{FE0F}"))
    }

    /// The blocks of wide and fullwidth characters in EastAsianWidth.txt of Unicode 15, except emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul Jamo, initial consonants
        0x2E80...0x303E,  // CJK radicals and punctuation
        0x3041...0xA4CF,  // Kana to Yi, including the CJK ideographs
        0xA960...0xA97C,  // Hangul Jamo Extended-A
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // CJK compatibility ideographs
        0xFE30...0xFE6B,  // CJK compatibility forms
        0xFF01...0xFF60,  // Fullwidth forms
        0xFFE0...0xFFE6,  // Fullwidth signs
        0x1F200...0x1F265,  // Enclosed ideographs
        0x20000...0x3FFFD,  // CJK ideographs, extensions
    ]
}
