import Foundation

/// A text in the subset of Markdown (CommonMark, with tables) that the descriptions in `openapi.yaml` use.
struct Markdown: Sendable {
    /// A block of a text.
    enum Block: Sendable {
        case heading(level: Int, String)
        case paragraph(String)
        case code(language: String, String)
        case list([String])
        /// The rows, of which the first is the heading.
        case table([[String]])
    }

    let blocks: [Block]

    /// Parses a text.
    init(_ text: String) {
        var blocks: [Block] = []
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.first {
            if line.hasPrefix("```") {
                let end = lines.dropFirst().firstIndex { $0.hasPrefix("```") } ?? lines.endIndex
                let code = lines[(lines.startIndex + 1)..<end].joined(separator: "\n")
                blocks.append(.code(language: String(line.dropFirst(3)), code))
                lines = lines[min(end + 1, lines.endIndex)...]
                continue
            }
            let end = lines.firstIndex { $0.isEmpty } ?? lines.endIndex
            let part = lines[..<end]
            if line.hasPrefix("#") {
                let level = line.prefix { $0 == "#" }.count
                blocks.append(.heading(level: level, String(line.dropFirst(level + 1))))
            } else if line.hasPrefix("- ") {
                blocks.append(.list(Self.items(of: part)))
            } else if line.hasPrefix("|") {
                let rows = part.map { row in
                    row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
                }
                blocks.append(.table(rows.filter { row in !row.allSatisfy { $0.hasPrefix("---") } }))
            } else if !line.isEmpty {
                blocks.append(.paragraph(part.joined(separator: " ")))
            }
            lines = lines[min(end + 1, lines.endIndex)...]
        }
        self.blocks = blocks
    }

    private static func items(of lines: ArraySlice<Substring>) -> [String] {
        lines.reduce(into: []) { items, line in
            if line.hasPrefix("- ") || items.isEmpty {
                items.append(String(line.dropFirst(2)))
            } else {
                items[items.count - 1] += " " + line.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// Returns the anchor that GitHub generates for a heading.
    static func anchor(_ heading: String) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == " " }.replacing(" ", with: "-")
    }
}

// MARK: - HTML

extension Markdown {
    /// The text as HTML; its headings have anchors.
    var html: String { blocks.map(Self.html(of:)).joined() }

    static func html(of block: Block) -> String {
        switch block {
        case .heading(let level, let text):
            return "<h\(level) id=\"\(anchor(text))\">\(inlineHTML(text))</h\(level)>\n"
        case .paragraph(let text): return "<p>\(inlineHTML(text))</p>\n"
        case .code(_, let text): return codeHTML(text)
        case .list(let items): return "<ul>\n\(items.map { "<li>\(inlineHTML($0))</li>\n" }.joined())</ul>\n"
        case .table(let rows):
            func html(_ row: [String], _ cell: String) -> String {
                "<tr>\(row.map { "<\(cell)>\(inlineHTML($0))</\(cell)>" }.joined())</tr>\n"
            }
            let body = rows.dropFirst().map { html($0, "td") }.joined()
            return "<div class=\"table\"><table>\n\(rows.first.map { html($0, "th") } ?? "")\(body)</table></div>\n"
        }
    }

    /// Returns a block of code; a keyboard can scroll it.
    static func codeHTML(_ text: String) -> String { "<pre tabindex=\"0\"><code>\(escaped(text))</code></pre>\n" }

    /// Returns a line of text with links, code and bold parts.
    static func inlineHTML(_ text: String) -> String {
        escaped(text)
            .replacing(/\[([^\]]+)\]\(([^)\s]+)\)/) { "<a href=\"\($0.output.2)\">\($0.output.1)</a>" }
            .replacing(/`([^`]+)`/) { "<code>\($0.output.1)</code>" }
            .replacing(/\*\*([^*]+)\*\*/) { "<b>\($0.output.1)</b>" }
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
