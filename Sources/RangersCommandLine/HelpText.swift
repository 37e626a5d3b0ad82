/// The help that the parser makes, which breaks every line that is too long for the terminal.
enum HelpText {
    private static let heading = "Examples:"

    /// Makes the examples whole again: a command that is broken in the middle cannot be copied.
    /// - Parameters:
    ///   - text: as the parser wraps it.
    ///   - unwrapped: the same without a break.
    /// - Returns: the text, each example on a line of its own.
    static func withWholeExamples(_ text: String, unwrapped: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var result: [Substring] = []
        for example in examples(of: unwrapped) {
            // Its lines are those that give all of its words, from the first that begins like it.
            guard let first = lines.firstIndex(where: { isBeginning($0, of: example) }) else { continue }
            var last = first
            while words(of: lines[first...last]) != words(of: [example]), last + 1 < lines.endIndex { last += 1 }
            guard words(of: lines[first...last]) == words(of: [example]) else { continue }
            result += lines[..<first] + [example]
            lines = lines[(last + 1)...]
        }
        return (result + lines).joined(separator: "\n")
    }

    /// The lines behind the heading, up to an empty one.
    private static func examples(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != heading }.dropFirst()
            .prefix { !$0.isEmpty }.map(\.self)
    }

    private static func isBeginning(_ line: Substring, of example: Substring) -> Bool {
        !line.allSatisfy(\.isWhitespace) && example.hasPrefix(line)
    }

    private static func words(of lines: some Sequence<Substring>) -> [Substring] {
        lines.flatMap { $0.split(separator: " ") }
    }
}
