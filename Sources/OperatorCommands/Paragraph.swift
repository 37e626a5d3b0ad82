import RangersCommandLine

/// A text that goes on below its beginning where a line is too narrow for it.
struct Paragraph {
    /// The text gets this many columns at least, however narrow the terminal is.
    private static let narrowest = 20

    /// What stands before the text, in the first line.
    let beginning: String
    let text: String

    /// Lines without line breaks in them.
    /// - Parameter width: the terminal's columns, nil where the output is no terminal.
    /// - Returns: one line, or as many as it takes.
    func lines(fitting width: Int?) -> [String] {
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
