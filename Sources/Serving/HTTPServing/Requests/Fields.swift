import Foundation
import JSONCoding

/// A request body that is a JSON object, with a property for each of its fields.
package protocol RequestFields: Sendable {
    /// Reads the fields; nil if a required one is missing or invalid, which `fields` records.
    init?(_ fields: inout Fields)
}

extension RequestFields {
    /// Reads a body.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` with all errors, unknown fields included.
    package static func read(from fields: Fields) throws(HTTPProblem) -> Self {
        var fields = fields
        let body = Self(&fields)
        let errors = fields.errors + fields.unknownFieldErrors
        guard let body, errors.isEmpty else { throw .invalidFields(errors) }
        return body
    }
}

/// The fields of a JSON object, read one by one.
///
/// Errors are collected, so that one response reports all of them.
package struct Fields {
    private var values: [String: JSONValue]
    package private(set) var errors: [HTTPProblem.FieldError] = []

    /// Parses a JSON object.
    /// - Throws: ``HTTPProblem/malformedJSON(_:)`` if the bytes are not a JSON object.
    package init(json: [UInt8]) throws(HTTPProblem) {
        if let fault = JSONFault(in: json) { throw .malformedJSON(fault.description) }
        let body: JSONValue
        do {
            body = try JSONDecoder().decode(JSONValue.self, from: Data(json))
        } catch {
            throw .malformedJSON("A number in the body is too large.")
        }
        guard case .object(let values) = body else {
            throw .malformedJSON("The body must be a JSON object: {…}.")
        }
        self.values = values
    }

    /// Reads a required field.
    /// - Returns: the value; nil, and an error in ``errors``, if the field is missing or invalid.
    package mutating func required<Value>(_ name: String, _ reader: FieldReader<Value>) -> Value? {
        guard let value = values.removeValue(forKey: name) else {
            reject(name, "is missing")
            return nil
        }
        return read(name, value, reader)
    }

    /// Reads an optional field.
    /// - Returns: the value; nil if the field is missing, null or invalid. Only the last adds an error to ``errors``.
    package mutating func optional<Value>(_ name: String, _ reader: FieldReader<Value>) -> Value? {
        guard let value = values.removeValue(forKey: name), value != .null else { return nil }
        return read(name, value, reader)
    }

    /// Reads a required field that is an object.
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - read: reads the fields of the object; nil if a required one is missing or invalid.
    /// - Returns: the value; nil, and errors in ``errors``, if the field is missing or invalid.
    package mutating func object<Value>(_ name: String, _ read: (inout Fields) -> Value?) -> Value? {
        guard let value = values.removeValue(forKey: name) else {
            reject(name, "is missing")
            return nil
        }
        return object(name, value, read)
    }

    /// Reads an optional field that is an object, like ``object(_:_:)``; nil if it is missing or null, too.
    package mutating func optionalObject<Value>(_ name: String, _ read: (inout Fields) -> Value?) -> Value? {
        guard let value = values.removeValue(forKey: name), value != .null else { return nil }
        return object(name, value, read)
    }

    /// Reads a required field that is a list of objects.
    ///
    /// Stops at the first invalid object, so that a response has few errors.
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - limit: the maximum number of objects.
    ///   - read: reads the fields of an object; nil if a required one is missing or invalid.
    /// - Returns: the values; nil, and errors in ``errors``, if the field is missing or invalid.
    package mutating func objects<Value>(
        _ name: String,
        atMost limit: Int,
        _ read: (inout Fields) -> Value?
    ) -> [Value]? {
        guard let value = values.removeValue(forKey: name) else {
            reject(name, "is missing")
            return nil
        }
        guard case .array(let elements) = value, elements.count <= limit else {
            reject(name, "must be a list of at most \(limit) objects")
            return nil
        }
        var objects: [Value] = []
        for (index, element) in elements.enumerated() {
            guard let object = object("\(name)[\(index)]", element, read) else { return nil }
            objects.append(object)
        }
        return objects
    }

    private mutating func object<Value>(
        _ name: String,
        _ value: JSONValue,
        _ read: (inout Fields) -> Value?
    ) -> Value? {
        guard case .object(let values) = value else {
            reject(name, "must be an object")
            return nil
        }
        var fields = Fields(values: values)
        let object = read(&fields)
        let errors = fields.errors + fields.unknownFieldErrors
        self.errors += errors.map { .init(field: "\(name).\($0.field)", reason: $0.reason) }
        return errors.isEmpty ? object : nil
    }

    private init(values: [String: JSONValue]) {
        self.values = values
    }

    /// Records an error of a field.
    package mutating func reject(_ name: String, _ reason: String) {
        errors.append(.init(field: name, reason: reason))
    }

    /// An error for each field that was not read.
    ///
    /// Without these errors, a misspelled optional field would be ignored.
    fileprivate var unknownFieldErrors: [HTTPProblem.FieldError] {
        values.keys.sorted().map { .init(field: $0, reason: "is not a field of this request") }
    }

    private mutating func read<Value>(_ name: String, _ value: JSONValue, _ reader: FieldReader<Value>) -> Value? {
        switch reader.read(value) {
        case .success(let value):
            return value
        case .failure(let error):
            reject(name, error.reason)
            return nil
        }
    }
}
