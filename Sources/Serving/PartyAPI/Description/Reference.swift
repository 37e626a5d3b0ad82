import HTTPServing
import HTTPTypes
import Yams

/// The reference of the API, made from `openapi.yaml`: the content of `/docs` and of `docs/rest-api.md`.
///
/// Descriptions, types and captions are Markdown without line breaks.
struct Reference: Sendable {
    /// A field of an object, or a parameter.
    struct Field: Sendable {
        let name: String
        let type: String
        let isRequired: Bool
        let description: String
        /// The fields of an object that has no schema of its own.
        let fields: [Self]
    }

    /// One of the forms of an object.
    struct Form: Sendable {
        let description: String
        let fields: [Field]
        /// The names of the schemas that are alternatives for further fields.
        let alternatives: [String]
    }

    /// A block of code with a caption, which can be empty.
    struct Example: Sendable {
        let caption: String
        let language: String
        let code: String
    }

    /// A response that is not a problem.
    struct Success: Sendable {
        let status: String
        let description: String
        let type: String
        let example: Example?
    }

    /// A request.
    struct Operation: Sendable {
        let title: String
        let method: String
        let path: String
        let description: Markdown
        let caller: OpenAPIDocument.Caller
        let parameters: [Field]
        let body: [Form]
        let commands: [Example]
        let successes: [Success]
        /// The names of the problems that few requests get.
        let problems: [String]
        /// The statuses of the other problems.
        let otherStatuses: [String]

        var anchor: String { Markdown.anchor(title) }
    }

    /// Requests with a common subject.
    struct Section: Sendable {
        let title: String
        let description: Markdown
        let operations: [Operation]
    }

    /// A kind of problem.
    struct Problem: Sendable {
        let kind: HTTPProblem.Kind
        let description: String
    }

    /// An object that requests or responses contain.
    struct Schema: Sendable {
        let name: String
        let description: String
        let forms: [Form]
    }

    /// The responses that nearly every request can get.
    private static let commonResponses: Set = [
        "MalformedJSON", "Unauthorized", "BodyTooLarge", "WrongContentType", "InvalidFields", "InvalidWrite",
        "TooManyRequests", "InternalError", "DatabaseUnavailable",
    ]

    let title: String
    let summary: String
    let guide: Markdown
    let sections: [Section]
    /// The kinds of problems, sorted by status and name.
    let problems: [Problem]
    let schemas: [Schema]

    /// Reads a document.
    /// - Throws: ``OpenAPIDocument/MissingError``.
    init(of document: OpenAPIDocument) throws {
        let reader = Reader(document: document)
        let info = document.root["info"]
        title = info?["title"]?.string ?? ""
        summary = info?["summary"]?.string ?? ""
        guide = Markdown(info?["description"]?.string ?? "")
        let operations = try document.operations
        sections = try (document.root["tags"]?.array() ?? []).map { tag in
            let name = tag["name"]?.string ?? ""
            return Section(
                title: name,
                description: Markdown(tag["description"]?.string ?? ""),
                operations: try operations.filter { $0.tag == name }.map(reader.operation)
            )
        }
        let types = try document.resolved(["components", "schemas", "ProblemType"])["oneOf"]?.array() ?? []
        problems = types.compactMap { type in
            let kind = HTTPProblem.Kind.all.first { $0.type == type["const"]?.string }
            return kind.map { Problem(kind: $0, description: reader.line(type["description"])) }
        }
        .sorted { ($0.kind.status.code, $0.kind.name) < ($1.kind.status.code, $1.kind.name) }
        schemas = try document.root.pairs("components", "schemas").filter { OpenAPIDocument.isObject($0.value) }
            .map { name, schema in
                Schema(name: name, description: reader.line(schema["description"]), forms: try reader.forms(of: schema))
            }
            .sorted { $0.name < $1.name }
    }

    /// Reads parts of a document.
    private struct Reader {
        let document: OpenAPIDocument

        /// Returns a text on one line.
        func line(_ node: Node?) -> String {
            (node?.string ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
        }

        func operation(_ operation: OpenAPIDocument.Operation) throws -> Operation {
            let node = operation.node
            let responses = try node.pairs("responses").map { status, reference in
                (status: status, name: document.name(referredToBy: reference), node: try document.resolved(reference))
            }
            let problems = responses.filter { ["4", "5"].contains($0.status.prefix(1)) }
            let (common, specific) = (
                problems.filter { $0.name.map(commonResponses.contains) ?? false },
                problems.filter { !($0.name.map(commonResponses.contains) ?? false) }
            )
            let body = node["requestBody"]?["content"]?["application/json"]
            return Operation(
                title: operation.title,
                method: operation.method,
                path: operation.path,
                description: Markdown(node["description"]?.string ?? ""),
                caller: operation.caller,
                parameters: try operation.parameters.map(parameter),
                body: try body.map { try forms(of: try document.resolved($0["schema"] ?? $0)) } ?? [],
                commands: Self.commands(operation, body),
                successes: try responses.filter { ["2", "3"].contains($0.status.prefix(1)) }.map {
                    try success($0.status, $0.node)
                },
                problems: specific.flatMap { problemNames(in: $0.node["content"]?["application/problem+json"]) },
                otherStatuses: common.map(\.status)
            )
        }

        private static func commands(_ operation: OpenAPIDocument.Operation, _ body: Node?) -> [Example] {
            let named =
                body?.pairs("examples").compactMap { name, example in example["value"].map { (name, $0) } } ?? []
            let bodies: [(String, Node?)] = named.isEmpty ? [("", body?["example"])] : named.map { ($0, $1) }
            return bodies.map { caption, body in
                Example(caption: caption, language: "sh", code: CurlCommand(operation, body: body).text)
            }
        }

        private func success(_ status: String, _ response: Node) throws -> Success {
            let content = response.pairs("content").first
            let example = content?.value["example"].map { example in
                // In the document, an example that is not JSON is a string.
                example.scalar.map { Example(caption: status, language: "", code: $0.string) }
                    ?? Example(caption: status, language: "json", code: OrderedJSON(example).text)
            }
            let isJSON = content?.key == "application/json"
            return Success(
                status: status,
                description: line(response["description"]),
                type: isJSON ? try type(of: content?.value["schema"]) : content.map { "`\($0.key)`" } ?? "",
                example: example
            )
        }

        private func problemNames(in content: Node?) -> [String] {
            (content?["schema"]?["allOf"]?.array() ?? []).flatMap { part -> [String] in
                let type = part["properties"]?["type"]
                let types = type?["enum"]?.array() ?? (type?["const"]).map { [$0] } ?? []
                return types.compactMap { $0.string?.split(separator: ":").last.map(String.init) }
            }
        }

        private func parameter(_ node: Node) throws -> Field {
            let type = try type(of: node["schema"])
            let location = node["in"]?.string ?? ""
            return Field(
                name: node["name"]?.string ?? "",
                type: "\(location), \(type)",
                isRequired: node["required"]?.bool ?? false,
                description: line(node["description"]),
                fields: []
            )
        }

        /// Returns the forms of an object: one, or several alternatives.
        func forms(of schema: Node) throws -> [Form] {
            let fields = try fields(of: schema)
            let alternatives = schema["oneOf"]?.array() ?? []
            let names = alternatives.compactMap(document.name(referredToBy:))
            guard names.isEmpty, !alternatives.isEmpty else {
                return [Form(description: "", fields: fields, alternatives: names)]
            }
            return try alternatives.map { alternative in
                Form(
                    description: line(alternative["description"]),
                    fields: fields + (try self.fields(of: alternative)),
                    alternatives: []
                )
            }
        }

        private func fields(of schema: Node) throws -> [Field] {
            let parts = try (schema["allOf"]?.array() ?? []).flatMap { try fields(of: try document.resolved($0)) }
            let required = Set((schema["required"]?.array() ?? []).compactMap(\.string))
            return try parts
                + schema.pairs("properties").compactMap { name, field in
                    // The field is not allowed in this form.
                    guard field["type"]?.string != "null" else { return nil }
                    return try self.field(name, field, isRequired: required.contains(name))
                }
        }

        private func field(_ name: String, _ field: Node, isRequired: Bool) throws -> Field {
            let target = try document.resolved(field)
            // Objects with a name, and common formats, are described elsewhere.
            let isCommon = ["uuid", "date-time"].contains(target["format"]?.string)
            let isDescribed = OpenAPIDocument.isObject(target) || isCommon
            // An optional object is an alternative to null.
            let alternatives = field["oneOf"]?.array() ?? []
            let inner = ([field, field["items"]].compactMap(\.self) + alternatives).filter { $0["$ref"] == nil }
            return Field(
                name: name,
                type: try type(of: field),
                isRequired: isRequired,
                description: line(field["description"] ?? (isDescribed ? nil : target["description"])),
                fields: try inner.flatMap(fields(of:))
            )
        }

        /// Returns a short description of a schema, with a link to an object that has a name.
        private func type(of schema: Node?) throws -> String {
            guard let schema else { return "" }
            let target = try document.resolved(schema)
            if let name = document.name(referredToBy: schema), OpenAPIDocument.isObject(target) {
                return "[\(name)](#\(Markdown.anchor(name)))"
            }
            if let value = target["const"]?.string { return "`\(value)`" }
            if let values = target["enum"]?.array() {
                return "one of " + values.compactMap(\.string).map { "`\($0)`" }.joined(separator: ", ")
            }
            if let parts = target["oneOf"]?.array() {
                return try parts.map(type(of:)).filter { !$0.isEmpty }.joined(separator: " or ")
            }
            if let items = target["items"] { return "list of \(try type(of: items))" }
            if let format = target["format"]?.string {
                switch format {
                case "uuid": return "UUID"
                case "date-time": return "timestamp"
                default: break
                }
            }
            let types = target["type"]?.string.map { [$0] } ?? target["type"]?.array().compactMap(\.string) ?? []
            let words = types.filter { $0 != "null" }.joined(separator: " or ")
            return switch (target["minimum"]?.int, target["maximum"]?.int) {
            case (let low?, let high?): "\(words) from \(low) to \(high)"
            case (let low?, nil): "\(words), at least \(low)"
            case (nil, let high?): "\(words), at most \(high)"
            case (nil, nil): words
            }
        }
    }
}
