import Foundation
import JSONCoding
import Testing
import Yams

@testable import PartyAPI

/// `openapi.yaml` as the API's contract: every response in the tests is validated against it.
struct Contract: Sendable {
    struct Operation: Sendable {
        let method: String
        let path: String
        /// The operation in the document.
        let node: JSONValue
        /// The parameters, including those of the path.
        let parameters: [JSONValue]

        /// Returns the number of literal components that match; nil if the path is not one of this operation.
        func match(_ path: Substring) -> Int? {
            let (ours, theirs) = (self.path.split(separator: "/"), path.split(separator: "/"))
            guard ours.count == theirs.count else { return nil }
            var literals = 0
            for (our, their) in zip(ours, theirs) where !our.hasPrefix("{") {
                guard our == their else { return nil }
                literals += 1
            }
            return literals
        }
    }

    /// The contract.
    ///
    /// An invalid document fails each test that sends a request.
    static let shared = Result { try Contract() }

    let document: JSONValue
    let operations: [Operation]
    var schema: JSONSchema { JSONSchema(document: document) }

    private init() throws {
        let document = JSONValue(yaml: try #require(try load(yaml: OpenAPIDocument.text)))
        let schema = JSONSchema(document: document)
        self.document = document
        operations = document["paths"].fields.flatMap { path, item in
            item.fields.filter { $0.key != "parameters" }.map { method, node in
                Operation(
                    method: method.uppercased(),
                    path: path,
                    node: node,
                    parameters: (item["parameters"].array + node["parameters"].array).map(schema.resolved)
                )
            }
        }
    }

    /// Records an issue for each difference between a response and the document.
    static func check(_ reply: Reply, to method: String, _ path: String) {
        do {
            for fault in try shared.get().faults(of: reply, to: method, path) {
                Issue.record("\(method) \(path) was answered \(reply.status), and openapi.yaml: \(fault)")
            }
        } catch {
            Issue.record(error)
        }
    }

    private func faults(of reply: Reply, to method: String, _ target: String) -> [String] {
        let path = target.prefix { $0 != "?" }
        let closest = operations.compactMap { operation in operation.match(path).map { ($0, operation.path) } }
        let template = closest.max { $0.0 < $1.0 }?.1
        let described = operations.filter { $0.path == template }
        guard let operation = described.first(where: { $0.method == (method == "HEAD" ? "GET" : method) }) else {
            // Browsers send preflight requests to every path. The response has only headers.
            if method == "OPTIONS", reply.status == 204 { return reply.text.isEmpty ? [] : ["has no body here"] }
            if reply.slug == "too-many-requests" { return [] }
            let general = described.isEmpty ? ["unknown-route", "unknown-method"] : ["wrong-method", "unknown-method"]
            return general.contains(reply.slug) ? [] : ["has no such request"]
        }
        let response = schema.resolved(operation.node["responses"]["\(reply.status)"])
        guard response != .null else { return ["has no such status"] }
        var faults = response["headers"].fields.flatMap { name, reference -> [String] in
            let header = schema.resolved(reference)
            guard let text = reply.header(name) else { return header["required"] == true ? ["\(name) is missing"] : [] }
            let value = Double(text).map { JSONValue.number($0) } ?? .string(text)
            return schema.faults(of: value, by: header["schema"], at: name)
        }
        guard method != "HEAD" else { return faults }
        let media = (reply.header("Content-Type") ?? "").prefix { $0 != ";" }
        let content = response["content"]
        guard content != .null else { return faults + (reply.text.isEmpty ? [] : ["has no body here"]) }
        guard content[String(media)] != .null else { return faults + ["has no body of type '\(media)' here"] }
        let body = media.hasSuffix("json") ? reply.json : media.hasSuffix("yaml") ? document : .string(reply.text)
        faults += schema.faults(of: body, by: content[String(media)]["schema"])
        if media == "application/problem+json", body["status"] != .number(Double(reply.status)) {
            faults.append("status \(body["status"]) is another one")
        }
        return faults
    }
}

extension JSONValue {
    /// Converts a value of the parsed document.
    init(yaml value: Any) {
        switch value {
        case let value as Bool: self = .boolean(value)
        case let value as Int: self = .number(Double(value))
        case let value as Double: self = .number(value)
        case let value as String: self = .string(value)
        case let values as [Any]: self = .array(values.map(JSONValue.init(yaml:)))
        case let fields as [AnyHashable: Any]:
            self = .object(
                Dictionary(fields.map { ("\($0.key)", JSONValue(yaml: $0.value)) }, uniquingKeysWith: { $1 })
            )
        default: self = .null
        }
    }

    /// The fields of an object, sorted by name; empty for other values.
    var fields: [(key: String, value: JSONValue)] {
        if case .object(let fields) = self { fields.sorted { $0.key < $1.key } } else { [] }
    }
}
