import Foundation
import JSONCoding
import Yams

/// A JSON value whose objects keep the order of their members, for examples.
indirect enum OrderedJSON {
    /// The JSON text of a string, a number, a flag or null.
    case scalar(String)
    case array([Self])
    case object([(key: String, value: Self)])

    /// The longest array or object on one line.
    private static let maxLineLength = 72

    /// Creates the value of a node of a YAML document.
    init(_ node: Node) {
        switch node {
        case .mapping: self = .object(node.pairs.map { ($0.key, Self($0.value)) })
        case .sequence(let elements): self = .array(elements.map(Self.init))
        case .scalar, .alias: self = .scalar(Self.text(of: node))
        }
    }

    /// Creates a string.
    static func string(_ text: String) -> Self {
        var writer = JSONWriter()
        writer.value(text)
        return .scalar(String(decoding: writer.bytes, as: UTF8.self))
    }

    private static func text(of node: Node) -> String {
        switch node.any {
        case let flag as Bool: "\(flag)"
        case let number as Int: "\(number)"
        case let number as Double: "\(number)"
        case is NSNull: "null"
        default: Self.string(node.string ?? "").compact
        }
    }

    /// The value on one line.
    var compact: String {
        switch self {
        case .scalar(let text): text
        case .array(let elements): "[\(elements.map(\.compact).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.map { "\(Self.string($0.key).compact): \($0.value.compact)" }.joined(separator: ", "))}"
        }
    }

    /// The value on several lines, except for parts that fit on one.
    var text: String { text(indentation: 0) }

    private func text(indentation: Int) -> String {
        let line = compact
        let isShort = indentation + line.count <= Self.maxLineLength
        let inner = String(repeating: " ", count: indentation + 2)
        let (parts, brackets): ([String], (String, String))
        switch self {
        case .scalar: return line
        case .array(let elements):
            // Elements that are objects are easier to read below each other.
            let isList = elements.contains { if case .object = $0 { true } else { false } } && indentation > 0
            guard !isShort || isList && elements.count > 1 else { return line }
            parts = elements.map { inner + $0.text(indentation: indentation + 2) }
            brackets = ("[", "]")
        case .object(let members):
            guard !isShort || indentation == 0 && members.count > 2 else { return line }
            parts = members.map {
                "\(inner)\(Self.string($0.key).compact): \($0.value.text(indentation: indentation + 2))"
            }
            brackets = ("{", "}")
        }
        let end = String(repeating: " ", count: indentation)
        return "\(brackets.0)\n\(parts.joined(separator: ",\n"))\n\(end)\(brackets.1)"
    }
}
