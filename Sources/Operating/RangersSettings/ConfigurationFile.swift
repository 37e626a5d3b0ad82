/// The configuration file given with `--config`: lines of `NAME=value`, with the names of the environment variables.
///
/// - Blank lines and lines that begin with `#` are skipped. Whitespace around name and value is ignored.
/// - A value may be quoted. Single quotes take every character literally. In double quotes, `\"` and `\\` stand for `"`
///   and `\`. A comment may follow a quoted value. An unquoted value extends to the end of its line, because a database
///   URL may contain a `#`.
/// - Any other line is a problem, and so is a repeated name.
struct ConfigurationFile {
    struct Entry: Hashable {
        let name: String
        let value: String
        let line: Int
    }

    private(set) var entries: [Entry] = []
    private(set) var problems: [SettingsProblem] = []

    /// Parses the text of a configuration file.
    /// - Parameters:
    ///   - text: the content of the file.
    ///   - path: the path of the file, for problems only.
    init(_ text: String, path: String) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(MalformedValue) {
                guard let entry = try Self.entry(of: line, number: index + 1) else { continue }
                if let earlier = entries.first(where: { $0.name == entry.name }) {
                    throw MalformedValue("\(entry.name) is already set in line \(earlier.line)")
                }
                entries.append(entry)
            } catch {
                problems.append(.malformedLine(path: path, line: index + 1, reason: error.reason))
            }
        }
    }

    private static func entry(of line: Substring, number: Int) throws(MalformedValue) -> Entry? {
        let line = line.trimmed
        guard let first = line.first, first != "#" else { return nil }
        guard let equals = line.firstIndex(of: "=") else {
            throw MalformedValue("is not a setting; write NAME=value, or # before a comment")
        }
        let name = line[..<equals].trimmed
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else {
            throw MalformedValue("has no valid name before its =; write NAME=value")
        }
        let value = try unquoted(line[line.index(after: equals)...].trimmed)
        return Entry(name: String(name), value: value, line: number)
    }

    private static func unquoted(_ text: Substring) throws(MalformedValue) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'" else { return String(text) }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if character == quote {
                let after = rest.trimmed
                guard after.isEmpty || after.first == "#" else {
                    throw MalformedValue("continues after the closing quote; quote the whole value")
                }
                return value
            }
            if character == "\\", quote == "\"", let next = rest.first, next == "\"" || next == "\\" {
                value.append(rest.removeFirst())
            } else {
                value.append(character)
            }
        }
        throw MalformedValue("has no closing quote")
    }
}

extension Substring {
    /// The text without whitespace at its ends.
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
        return start[...last]
    }
}
