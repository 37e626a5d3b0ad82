import Foundation
import JSONCoding

/// A body that a route takes: reads each of its fields, and says nothing more.
protocol RequestFields {
    /// Reads the fields; nil when one of them is not as it must be, which `fields` then knows.
    init?(_ fields: inout Fields)
}

extension RequestFields {
    /// - Throws: ``Problem/invalidFields(_:)`` with everything that is wrong, fields that nobody asked for included.
    static func read(from fields: Fields) throws(Problem) -> Self {
        var fields = fields
        let body = Self(&fields)
        let errors = fields.errors + fields.unaskedErrors
        guard let body, errors.isEmpty else { throw .invalidFields(errors) }
        return body
    }
}

/// The fields of a JSON object, read one by one; what is wrong with them is collected, so that a client hears of it all
/// at once.
struct Fields {
    private var values: [String: JSONValue]
    private(set) var errors: [Problem.FieldError] = []

    /// - Throws: ``Problem`` when the bytes are no JSON object.
    init(json: [UInt8]) throws(Problem) {
        if let fault = JSONFault(in: json) { throw .malformedJSON(fault.description) }
        let body: JSONValue
        do {
            body = try JSONDecoder().decode(JSONValue.self, from: Data(json))
        } catch {
            throw .malformedJSON("A number in the body is larger than any that can be read.")
        }
        guard case .object(let values) = body else {
            throw .malformedJSON("The body is JSON, but no object; send an object: {…}.")
        }
        self.values = values
    }

    /// A field that must be there.
    mutating func required<Value>(_ name: String, _ reader: FieldReader<Value>) -> Value? {
        guard let value = values.removeValue(forKey: name) else {
            refuse(name, "is missing")
            return nil
        }
        return read(name, value, reader)
    }

    /// A field that may be left out or null.
    mutating func optional<Value>(_ name: String, _ reader: FieldReader<Value>) -> Value? {
        guard let value = values.removeValue(forKey: name), value != .null else { return nil }
        return read(name, value, reader)
    }

    /// Records that something is wrong with a field.
    mutating func refuse(_ name: String, _ reason: String) {
        errors.append(.init(field: name, reason: reason))
    }

    /// A client that misspells an optional field should hear of it rather than wonder.
    fileprivate var unaskedErrors: [Problem.FieldError] {
        values.keys.sorted().map { Problem.FieldError(field: $0, reason: "is not a field of this request") }
    }

    private mutating func read<Value>(_ name: String, _ value: JSONValue, _ reader: FieldReader<Value>) -> Value? {
        switch reader.read(value) {
        case .success(let value):
            return value
        case .failure(let refusal):
            refuse(name, refusal.reason)
            return nil
        }
    }
}
