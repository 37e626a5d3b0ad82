/// Emphasis and colors for terminals.
public struct Paint: Sendable {
    /// No emphasis and no colors.
    public static let none = Self(isOn: false)

    private let isOn: Bool

    private init(isOn: Bool) { self.isOn = isOn }

    /// Creates the paint for an output.
    /// - Parameters:
    ///   - isTerminal: whether the output is a terminal.
    ///   - environment: the environment. A nonempty `NO_COLOR` (no-color.org) and `TERM=dumb` disable colors.
    public init(isTerminal: Bool, environment: [String: String]) {
        isOn = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Returns a text in bold, for titles.
    public func bold(_ text: String) -> String { painted(text, "1") }
    /// Returns a text in green, for good states.
    public func green(_ text: String) -> String { painted(text, "32") }
    /// Returns a text in red, for bad states.
    public func red(_ text: String) -> String { painted(text, "31") }

    /// Wraps a text in the control sequences for a graphic rendition and its reset (ECMA-48, section 8.3.117).
    private func painted(_ text: String, _ rendition: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(rendition)m\(text)\u{1B}[0m" : text
    }
}
