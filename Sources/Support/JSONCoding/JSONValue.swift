/// Any JSON (RFC 8259), where no type of its own says what must be there: requests of strangers, and answers of servers
/// that may be newer than who reads them.
public enum JSONValue: Codable, Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// Every number, as most programs read it: whole ones are exact up to 2⁵³.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// The number, if it is a whole one.
    public var integer: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }

    /// Reads whatever stands there.
    /// - Throws: `DecodingError` for a number beyond what a `Double` can be.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each failure means another type only; that of the last is thrown.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
