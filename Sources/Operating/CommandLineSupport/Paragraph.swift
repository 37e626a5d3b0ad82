/// A text that goes on below its beginning where a line is too narrow for it.
public struct Paragraph: Sendable {
    /// The text gets this many columns at least, however narrow the terminal is.
    private static let narrowest = 20

    private let beginning: String
    private let text: String

    /// A paragraph.
    /// - Parameters:
    ///   - beginning: what stands before the text, in the first line.
    ///   - text: words, which may come from anywhere; none of them is cut.
    public init(beginning: String, text: String) {
        self.beginning = beginning
        self.text = text
    }

    /// Lines without line breaks in them.
    /// - Parameter width: the terminal's columns, nil where the output is no terminal.
    /// - Returns: one line, or as many as it takes.
    public func lines(fitting width: Int?) -> [String] {
        let text = Printable.text(text)
        guard let width else { return [beginning + text] }
        let columns = max(width - DisplayWidth.of(beginning), Self.narrowest)
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
