import Yams

/// `openapi.yaml`, parsed as far as the page needs it.
struct OpenAPIDocument {
    /// The text of the document, which is also served.
    static let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)

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
        var found = root
        for part in reference.split(separator: "/").dropFirst() {
            guard let next = found[String(part)] else { throw MissingError(location: reference) }
            found = next
        }
        return found
    }

    /// Returns the last component of a node's `$ref`; nil if it has none.
    func name(referredToBy node: Node) -> String? {
        node["$ref"]?.string?.split(separator: "/").last.map(String.init)
    }

    /// An operation of the document.
    struct Operation {
        let id: String
        let method: String
        let path: String
        let tag: String
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
                    guard let id = node["operationId"]?.string, let tag = node["tags"]?.array().first?.string else {
                        throw MissingError(location: location)
                    }
                    let own = item["parameters"]?.array() ?? []
                    var parameters: [Node] = []
                    for parameter in own + (node["parameters"]?.array() ?? []) {
                        parameters.append(try resolved(parameter))
                    }
                    operations.append(
                        Operation(
                            id: id,
                            method: method.uppercased(),
                            path: path,
                            tag: tag,
                            node: node,
                            parameters: parameters
                        )
                    )
                }
            }
            return operations
        }
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
