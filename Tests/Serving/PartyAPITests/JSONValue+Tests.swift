import JSONCoding

extension JSONValue {
    /// The field of an object; null if the value has no such field.
    subscript(key: String) -> JSONValue {
        if case .object(let fields) = self { fields[key] ?? .null } else { .null }
    }

    /// The element of an array; null if the value has no such element.
    subscript(index: Int) -> JSONValue { array.indices.contains(index) ? array[index] : .null }

    var array: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var text: String { if case .string(let text) = self { text } else { "" } }
    var number: Double { if case .number(let number) = self { number } else { .nan } }
    var keys: Set<String> { if case .object(let fields) = self { Set(fields.keys) } else { [] } }
}

// Tests compare values with literals.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
