/// A text that is wrapped with a hanging indent.
public struct Paragraph: Sendable {
    /// The minimum width of the text in columns.
    private static let minWidth = 20

    private let beginning: String
    private let text: String

    /// Creates a paragraph.
    /// - Parameters:
    ///   - beginning: the label before the text in the first line.
    ///   - text: the text, which may contain unprintable characters. Words are never truncated.
    public init(beginning: String, text: String) {
        self.beginning = beginning
        self.text = text
    }

    /// Returns the wrapped lines.
    /// - Parameter width: the width of the terminal in columns; nil if the output is not a terminal.
    /// - Returns: at least one line.
    public func lines(fitting width: Int?) -> [String] {
        let text = Printable.text(text)
        guard let width else { return [beginning + text] }
        let columns = max(width - DisplayWidth.of(beginning), Self.minWidth)
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, DisplayWidth.of(last) + 1 + DisplayWidth.of(word) <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        let indentation = String(repeating: " ", count: DisplayWidth.of(beginning))
        return lines.enumerated().map { ($0 == 0 ? beginning : indentation) + $1 }
    }
}
