/// A parse tree as printed by PostgreSQL: nodes with named fields, lists and words.
indirect enum NodeTree {
    case node(String, fields: [String: [NodeTree]])
    case list([NodeTree])
    case word(String)

    /// The values of a field of a node; none for `<>` and for missing fields.
    subscript(field: String) -> [NodeTree] {
        guard case .node(_, let fields) = self, let values = fields[field] else { return [] }
        return values.flatMap { value -> [NodeTree] in
            switch value {
            case .list(let elements): elements
            case .word("<>"): []
            case .node, .word: [value]
            }
        }
    }

    /// A node's name; nil for lists and words.
    var name: String? {
        guard case .node(let name, _) = self else { return nil }
        return name
    }

    /// Returns the only value of a field as a number.
    func number(_ field: String) -> Int? {
        guard case .word(let word)? = self[field].first else { return nil }
        return Int(word)
    }

    /// Returns the only value of a field as a word.
    func word(_ field: String) -> String? {
        guard case .word(let word)? = self[field].first else { return nil }
        return word
    }

    var children: [NodeTree] {
        switch self {
        case .node(_, let fields): fields.values.flatMap(\.self)
        case .list(let elements): elements
        case .word: []
        }
    }

    /// Returns the nodes with a name at any depth, including this one.
    func all(_ name: String) -> [NodeTree] {
        (self.name == name ? [self] : []) + children.flatMap { $0.all(name) }
    }
}

/// Reads the output of `debug_print_parse` (PostgreSQL, `outfuncs.c`).
struct NodeTreeReader {
    private var rest: Substring

    init(_ text: some StringProtocol) {
        rest = Substring(text)
    }

    /// Reads the next tree; returns nil at the end of the text or at a closing bracket.
    mutating func next() -> NodeTree? {
        rest = rest.drop(while: \.isWhitespace)
        guard let first = rest.first else { return nil }
        switch first {
        case "{":
            rest.removeFirst()
            return node()
        case "(", "[":
            rest.removeFirst()
            return .list(untilClosed())
        case "}", ")", "]":
            return nil
        case "\"":
            rest.removeFirst()
            return .word(word(closing: true) { $0 == "\"" })
        default:
            return .word(word(closing: false) { $0.isWhitespace || "{}()[]".contains($0) })
        }
    }

    private mutating func node() -> NodeTree {
        guard case .word(let name)? = next() else { return .list(untilClosed()) }
        var fields: [String: [NodeTree]] = [:]
        var field = ""
        for value in untilClosed() {
            if case .word(let word) = value, word.hasPrefix(":") {
                field = String(word.dropFirst())
                fields[field] = []
            } else {
                fields[field, default: []].append(value)
            }
        }
        return .node(name, fields: fields)
    }

    private mutating func untilClosed() -> [NodeTree] {
        var values: [NodeTree] = []
        while let value = next() { values.append(value) }
        rest = rest.dropFirst()
        return values
    }

    private mutating func word(closing: Bool, until isEnd: (Character) -> Bool) -> String {
        var word = ""
        while let character = rest.first, !isEnd(character) {
            rest.removeFirst()
            if character == "\\", let escaped = rest.popFirst() {
                word.append(escaped)
            } else {
                word.append(character)
            }
        }
        if closing { rest = rest.dropFirst() }
        return word
    }
}
