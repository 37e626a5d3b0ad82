/// Emphasis and colours for people, where the output is a terminal that is to have them.
public struct Paint: Sendable {
    /// Nothing is painted: for programs, files and tests.
    public static let none = Self(isOn: false)

    private let isOn: Bool

    private init(isOn: Bool) { self.isOn = isOn }

    /// Paint for an output.
    /// - Parameters:
    ///   - isTerminal: whether somebody looks at the output itself.
    ///   - environment: `NO_COLOR`, if it is anything but empty, wants none (no-color.org), and a dumb terminal has none.
    public init(isTerminal: Bool, environment: [String: String]) {
        isOn = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Titles.
    public func bold(_ text: String) -> String { painted(text, "1") }
    /// What is well.
    public func green(_ text: String) -> String { painted(text, "32") }
    /// What is not.
    public func red(_ text: String) -> String { painted(text, "31") }

    /// ECMA-48, section 8.3.117: select graphic rendition, and its default afterwards.
    private func painted(_ text: String, _ rendition: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(rendition)m\(text)\u{1B}[0m" : text
    }
}
