/// Corrects the line breaks in ArgumentParser's help, which wraps examples but not the usage.
enum HelpText {
    private static let heading = "Examples:"
    private static let usageHeadings = ["USAGE: ", "Usage: "]

    /// Rejoins wrapped examples, so that they can be copied.
    /// - Parameters:
    ///   - text: the help as ArgumentParser wraps it.
    ///   - unwrapped: the same help without wrapping.
    /// - Returns: the text with each example on a line of its own.
    static func withWholeExamples(_ text: String, unwrapped: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var result: [Substring] = []
        for example in examples(of: unwrapped) {
            // The lines of the example begin with its prefix, and end when they contain all of its words.
            guard let first = lines.firstIndex(where: { isBeginning($0, of: example) }) else { continue }
            var last = first
            while words(of: lines[first...last]) != words(of: [example]), last + 1 < lines.endIndex { last += 1 }
            guard words(of: lines[first...last]) == words(of: [example]) else { continue }
            result += lines[..<first] + [example]
            lines = lines[(last + 1)...]
        }
        return (result + lines).joined(separator: "\n")
    }

    /// Wraps the usage between arguments.
    /// - Parameters:
    ///   - text: the help from ArgumentParser.
    ///   - width: the width of the terminal in columns; nil for no terminal.
    /// - Returns: the text with the usage wrapped and indented below its first argument.
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

    /// Splits a usage into arguments; words in brackets form one argument.
    private static func arguments(of usage: Substring) -> [String] {
        var arguments: [String] = []
        var depth = 0
        for word in usage.split(separator: " ") {
            if depth > 0 { arguments[arguments.count - 1] += " " + word } else { arguments.append(String(word)) }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        return arguments
    }

    /// Returns the lines between the heading and the next empty line.
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
