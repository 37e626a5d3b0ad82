/// The help that the parser makes, which breaks every line that is too long for the terminal, but the usage.
enum HelpText {
    private static let heading = "Examples:"
    private static let usageHeadings = ["USAGE: ", "Usage: "]

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

    /// Breaks the line of the usage where the terminal is too narrow for it, between two arguments and never within one.
    /// - Parameters:
    ///   - text: as the parser makes it.
    ///   - width: the terminal's columns, nil where there is none.
    /// - Returns: the text, with what does not fit on lines of its own, below the first argument.
    static func withFoldedUsage(_ text: String, fitting width: Int?) -> String {
        guard let width else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            guard let heading = usageHeadings.first(where: { line.hasPrefix($0) }), line.count > width else {
                return [String(line)]
            }
            var folded = [heading]
            for argument in arguments(of: line.dropFirst(heading.count)) {
                let last = folded[folded.count - 1]
                if last == heading {
                    folded[0] += argument
                } else if last.count + 1 + argument.count <= width {
                    folded[folded.count - 1] += " " + argument
                } else {
                    folded.append(String(repeating: " ", count: heading.count) + argument)
                }
            }
            return folded
        }
        return lines.joined(separator: "\n")
    }

    /// The words, those in brackets together.
    private static func arguments(of usage: Substring) -> [String] {
        var arguments: [String] = []
        var depth = 0
        for word in usage.split(separator: " ") {
            if depth > 0 { arguments[arguments.count - 1] += " " + word } else { arguments.append(String(word)) }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        return arguments
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
