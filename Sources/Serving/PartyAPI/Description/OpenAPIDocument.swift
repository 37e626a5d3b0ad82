import EmbeddedFiles
import Yams

/// `openapi.yaml`, parsed as far as its reference needs it.
struct OpenAPIDocument {
    /// The text of the document, which is also served.
    static let text = String(decoding: EmbeddedFile.openAPIDescription.bytes, as: UTF8.self)

    let root: Node

    /// Parses the document.
    /// - Throws: Yams errors for invalid YAML; ``MissingError`` for an empty document.
    init() throws {
        guard let root = try compose(yaml: Self.text) else { throw MissingError(location: "#") }
        self.root = root
    }

    /// An error for a document that lacks a required element.
    struct MissingError: Error {
        let location: String
    }

    /// Returns the target of a node's `$ref`, or the node itself if it has none.
    func resolved(_ node: Node) throws(MissingError) -> Node {
        guard let reference = node["$ref"]?.string else { return node }
        return try resolved(reference.split(separator: "/").dropFirst().map(String.init))
    }

    /// Returns the node at a path.
    func resolved(_ path: [String]) throws(MissingError) -> Node {
        var found = root
        for part in path {
            guard let next = found[part] else { throw MissingError(location: path.joined(separator: "/")) }
            found = next
        }
        return found
    }

    /// Returns whether values of a schema are objects.
    static func isObject(_ schema: Node) -> Bool {
        if schema["properties"] != nil || schema["type"]?.string == "object" || schema["allOf"] != nil {
            return true
        }
        // Alternatives are either all objects or all scalars.
        return schema["oneOf"]?.array().contains { $0["$ref"] != nil || $0["properties"] != nil } ?? false
    }

    /// Returns the last component of a node's `$ref`; nil if it has none.
    func name(referredToBy node: Node) -> String? {
        node["$ref"]?.string?.split(separator: "/").last.map(String.init)
    }

    /// The caller whom an operation authenticates.
    enum Caller: Sendable {
        case anyone
        case player
        case `operator`
    }

    /// An operation of the document.
    struct Operation {
        /// The summary, without a full stop.
        let title: String
        let method: String
        let path: String
        let tag: String
        let caller: Caller
        let node: Node
        /// The parameters of the path, then those of the operation.
        let parameters: [Node]
    }

    /// All operations, in the document's order.
    var operations: [Operation] {
        get throws(MissingError) {
            var operations: [Operation] = []
            for (path, item) in root.pairs("paths") {
                for (method, node) in item.pairs where method != "parameters" {
                    let location = "\(method) \(path)"
                    guard let title = node["summary"]?.string, let tag = node["tags"]?.array().first?.string else {
                        throw MissingError(location: location)
                    }
                    let own = item["parameters"]?.array() ?? []
                    var parameters: [Node] = []
                    for parameter in own + (node["parameters"]?.array() ?? []) {
                        parameters.append(try resolved(parameter))
                    }
                    operations.append(
                        Operation(
                            title: title,
                            method: method.uppercased(),
                            path: path,
                            tag: tag,
                            caller: caller(of: node),
                            node: node,
                            parameters: parameters
                        )
                    )
                }
            }
            return operations
        }
    }

    private func caller(of operation: Node) -> Caller {
        let schemes = (operation["security"] ?? root["security"])?.array() ?? []
        guard let scheme = schemes.first?.pairs.first?.key else { return .anyone }
        return scheme == "operator" ? .operator : .player
    }
}

extension Node {
    /// The pairs of a mapping in their order; empty for other nodes.
    var pairs: [(key: String, value: Node)] {
        mapping?.compactMap { pair in pair.key.string.map { ($0, pair.value) } } ?? []
    }

    /// Returns the pairs of the node at a path.
    func pairs(_ path: String...) -> [(key: String, value: Node)] {
        var node: Node? = self
        for name in path { node = node?[name] }
        return node?.pairs ?? []
    }
}
