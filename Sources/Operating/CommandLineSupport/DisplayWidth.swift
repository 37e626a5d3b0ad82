/// How many columns of a terminal texts take.
///
/// Terminals count in cells: most characters take one, emoji and East Asian ones two, marks that join the character
/// before them none. There is no call for it that knows emoji, so it is decided here by character, as terminals with
/// grapheme clustering do.
public enum DisplayWidth {
    /// The columns that a text takes.
    public static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// The columns that one character takes: 0, 1 or 2.
    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if isEmoji(character, beginningWith: first) || wide.contains(where: { $0.contains(first.value) }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return 0
        default: return 1
        }
    }

    /// As much of a text as fits into some columns, with `…` where something was cut off.
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

    /// Drawn as a picture: by default, or because a variation selector asks for it (U+FE0F).
    private static func isEmoji(_ character: Character, beginningWith first: Unicode.Scalar) -> Bool {
        first.properties.isEmojiPresentation
            || (first.properties.isEmoji && character.unicodeScalars.contains("\u{FE0F}"))
    }

    /// What is Wide or Fullwidth in Unicode 15's EastAsianWidth.txt, in blocks; its emoji are recognised above.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul Jamo that begin a syllable
        0x2E80...0x303E,  // CJK radicals and punctuation
        0x3041...0xA4CF,  // Kana to Yi, the CJK ideographs among them
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
