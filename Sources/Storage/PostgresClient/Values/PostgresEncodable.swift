/// A Swift type that can be bound to a parameter.
///
/// A type with a raw value only declares the conformance: it travels as its raw value. Others usually encode
/// themselves through a type that conforms already.
public protocol PostgresEncodable: Sendable {
    /// The type that the parameter is declared with; no other is guessed by the server.
    static var postgresType: PostgresType { get }

    /// The type of a parameter that holds an array of these; there is a default.
    static var postgresArrayType: PostgresType { get }

    /// Appends the value in PostgreSQL's binary format for `postgresType`, or NULL.
    func encode(into buffer: inout PostgresBuffer)

    /// Appends an array of these in the binary format for `postgresArrayType`; there is a default.
    ///
    /// A requirement only because bytes are an array whose wire format is not an array's.
    static func encode(array: [Self], into buffer: inout PostgresBuffer)
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    /// The raw value's type.
    public static var postgresType: PostgresType { RawValue.postgresType }

    /// Appends the raw value.
    public func encode(into buffer: inout PostgresBuffer) {
        rawValue.encode(into: &buffer)
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// The wrapped type's: nullability is no part of a type in PostgreSQL.
    public static var postgresType: PostgresType { Wrapped.postgresType }

    /// Appends the value, or NULL for nil.
    public func encode(into buffer: inout PostgresBuffer) {
        switch self {
        case .some(let value): value.encode(into: &buffer)
        case .none: buffer.appendNull()
        }
    }
}
