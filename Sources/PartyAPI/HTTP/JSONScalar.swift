/// A value of a body's field, as far as bodies of this API go: flat, but for lists of strings.
enum JSONScalar: Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    /// A number that is no `Int`.
    case otherNumber
    case string(String)
    case strings([String])
    /// An object, or another array.
    case arrayOrObject
}

extension JSONScalar: Decodable {
    init(from decoder: any Decoder) throws {
        // The contents of an object, or of another array, do not matter, since no field takes one.
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if (try? container.decode(Double.self)) != nil {
            self = .otherNumber
        } else if let values = try? container.decode([String].self) {
            self = .strings(values)
        } else {
            self = .arrayOrObject
        }
    }
}
