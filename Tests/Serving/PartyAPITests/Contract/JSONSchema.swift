import Foundation
import JSONCoding

/// A validator for the part of JSON Schema (2020-12) that `openapi.yaml` uses.
///
/// It is stricter than the standard: if a schema describes properties of an object, the object may have no others, so
/// that no response contains an undocumented property.
struct JSONSchema {
    /// The keywords that the document may use; the validator does not check any others.
    private static let knownKeywords: Set = [
        "$ref", "additionalProperties", "allOf", "const", "default", "description", "enum", "format", "items",
        "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "not", "oneOf", "pattern",
        "properties", "required", "title", "type",
    ]

    let document: JSONValue

    /// Returns the violations of a value with their positions.
    func faults(of value: JSONValue, by schema: JSONValue, at path: String = "") -> [String] {
        let (faults, described) = validate(value, schema, path)
        guard case .object(let fields) = value, !described.isEmpty else { return faults }
        return faults
            + fields.keys.filter { !described.contains($0) }.sorted().map { "\(path)/\($0) is not described" }
    }

    /// Returns the violations, and the properties that the schema and its subschemas describe.
    private func validate(
        _ value: JSONValue,
        _ schema: JSONValue,
        _ path: String
    ) -> (faults: [String], described: Set<String>) {
        var faults = schema.keys.subtracting(Self.knownKeywords).sorted().map {
            "\(path): keyword \($0) is not checked"
        }
        var described: Set<String> = []
        func apply(_ part: JSONValue) {
            let (more, names) = validate(value, part, path)
            faults += more
            described.formUnion(names)
        }
        if schema["$ref"] != .null { apply(resolved(schema)) }
        schema["allOf"].array.forEach(apply)
        if schema["not"] != .null, validate(value, schema["not"], path).faults.isEmpty {
            faults.append("\(path) fits the excluded schema")
        }
        let alternatives = schema["oneOf"].array
        if !alternatives.isEmpty {
            let fitting = alternatives.map { validate(value, $0, path) }.filter(\.faults.isEmpty)
            if fitting.count != 1 {
                faults.append("\(path) fits \(fitting.count) of \(alternatives.count) alternatives")
            }
            if let only = fitting.first { described.formUnion(only.described) }
        }
        if !fits(value, type: schema["type"]) { faults.append("\(path) must be of type \(schema["type"])") }
        if schema["const"] != .null, value != schema["const"] { faults.append("\(path) must be \(schema["const"])") }
        if schema["enum"] != .null, !schema["enum"].array.contains(value) {
            faults.append("\(path): \(value) is none of \(schema["enum"].array)")
        }
        switch value {
        case .object(let fields):
            for name in schema["required"].array.map(\.text) where fields[name] == nil {
                faults.append("\(path)/\(name) is missing")
            }
            if case .object(let properties) = schema["properties"] {
                described.formUnion(properties.keys)
                for (name, property) in properties {
                    guard let field = fields[name] else { continue }
                    faults += self.faults(of: field, by: property, at: "\(path)/\(name)")
                }
            }
        case .array(let elements):
            if Double(elements.count) < schema["minItems"].number { faults.append("\(path) has too few items") }
            if Double(elements.count) > schema["maxItems"].number { faults.append("\(path) has too many items") }
            if schema["items"] != .null {
                for (index, element) in elements.enumerated() {
                    faults += self.faults(of: element, by: schema["items"], at: "\(path)/\(index)")
                }
            }
        case .number(let number):
            // A missing limit is NaN, for which both comparisons are false.
            if number < schema["minimum"].number || number > schema["maximum"].number {
                faults.append("\(path): \(number) is out of range")
            }
        case .string(let text):
            faults += self.faults(of: text, by: schema).map { "\(path): '\(text)' \($0)" }
        case .null, .boolean: break
        }
        return (faults, described)
    }

    private func faults(of text: String, by schema: JSONValue) -> [String] {
        var faults: [String] = []
        let length = Double(text.unicodeScalars.count)
        if length < schema["minLength"].number { faults.append("is too short") }
        if length > schema["maxLength"].number { faults.append("is too long") }
        if schema["format"] == "uuid", UUID(uuidString: text) == nil { faults.append("is no UUID") }
        if schema["format"] == "uuid", text != text.lowercased() { faults.append("is not in lower case") }
        if schema["pattern"] != .null, text.range(of: schema["pattern"].text, options: .regularExpression) == nil {
            faults.append("does not match \(schema["pattern"].text)")
        }
        return faults
    }

    private func fits(_ value: JSONValue, type: JSONValue) -> Bool {
        let types = type == .null ? [] : type.array.isEmpty ? [type] : type.array
        return types.isEmpty
            || types.contains { type in
                switch value {
                case .null: type == "null"
                case .boolean: type == "boolean"
                case .number(let number): type == "number" || type == "integer" && number.rounded() == number
                case .string: type == "string"
                case .array: type == "array"
                case .object: type == "object"
                }
            }
    }

    /// Returns the target of a `$ref`, null if the target does not exist; the value itself if it has no `$ref`.
    func resolved(_ value: JSONValue) -> JSONValue {
        guard value["$ref"] != .null else { return value }
        return value["$ref"].text.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] }
    }
}
