import Yams

/// `openapi.yaml`, read as far as the page about it needs.
struct OpenAPIDocument {
    /// The document as it is served.
    static let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)

    let root: Node

    /// - Throws: errors of the parser; ``MissingError`` for an empty document.
    init() throws {
        guard let root = try compose(yaml: Self.text) else { throw MissingError(place: "#") }
        self.root = root
    }

    /// Something that a document must have, and this one has not.
    struct MissingError: Error {
        let place: String
    }

    /// What a node stands for: the node itself, or what its `$ref` leads to.
    func resolved(_ node: Node) throws(MissingError) -> Node {
        guard let reference = node["$ref"]?.string else { return node }
        var found = root
        for part in reference.split(separator: "/").dropFirst() {
            guard let next = found[String(part)] else { throw MissingError(place: reference) }
            found = next
        }
        return found
    }

    /// The last word of a node's `$ref`, nil when it has none.
    func name(referredToBy node: Node) -> String? {
        node["$ref"]?.string?.split(separator: "/").last.map(String.init)
    }

    /// A request that the document describes.
    struct Operation {
        let id: String
        let method: String
        let path: String
        let tag: String
        let node: Node
        /// Those of the path first.
        let parameters: [Node]
    }

    /// Every request, in the document's order.
    var operations: [Operation] {
        get throws(MissingError) {
            var operations: [Operation] = []
            for (path, item) in root.pairs("paths") {
                for (method, node) in item.pairs where method != "parameters" {
                    let place = "\(method) \(path)"
                    guard let id = node["operationId"]?.string, let tag = node["tags"]?.array().first?.string else {
                        throw MissingError(place: place)
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
    /// The fields of a mapping in their order; nothing for what is no mapping.
    var pairs: [(key: String, value: Node)] {
        mapping?.compactMap { pair in pair.key.string.map { ($0, pair.value) } } ?? []
    }

    /// The fields of what stands at the end of a path.
    func pairs(_ path: String...) -> [(key: String, value: Node)] {
        var node: Node? = self
        for name in path { node = node?[name] }
        return node?.pairs ?? []
    }
}
