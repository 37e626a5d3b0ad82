/// Makes texts from a server safe to print in a terminal.
public enum Printable {
    /// Replaces control characters and bidirectional formatting characters by U+FFFD.
    ///
    /// Players choose names, which could otherwise control the terminal. The zero-width joiner and variation selectors
    /// of emoji are kept.
    public static func text(_ text: String) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            printable.append(isPrintable(scalar) ? scalar : "\u{FFFD}")
        }
        return String(printable)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: scalar == "\u{200D}"
        default: true
        }
    }
}
