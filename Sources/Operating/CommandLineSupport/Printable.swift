/// Makes texts from a server safe to print.
public enum Printable {
    /// A text without anything that could steer a terminal or turn the writing's direction.
    ///
    /// Names are chosen by players and come over the network. Such characters become U+FFFD; the joiner and the
    /// selectors that emoji are made of stay.
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
