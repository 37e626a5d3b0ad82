/// A type that can be bound to a parameter.
///
/// A type with a raw value only has to declare conformance: its raw value is encoded.
public protocol PostgresEncodable: Sendable {
    /// The declared type of the parameter. The server infers no other.
    static var postgresType: PostgresType { get }

    /// The declared type of a parameter with an array of this type. Has a default implementation.
    static var postgresArrayType: PostgresType { get }

    /// Appends the value in PostgreSQL's binary format for `postgresType`, or NULL.
    func encode(into buffer: inout PostgresBuffer)

    /// Appends an array in the binary format of `postgresArrayType`. Has a default implementation.
    ///
    /// This is a requirement because `[UInt8]` is encoded as `bytea` instead of an array.
    static func encode(array: [Self], into buffer: inout PostgresBuffer)
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    /// The type of the raw value.
    public static var postgresType: PostgresType { RawValue.postgresType }

    /// Appends the raw value.
    public func encode(into buffer: inout PostgresBuffer) {
        rawValue.encode(into: &buffer)
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// The type of the wrapped value.
    ///
    /// Nullability is not part of a PostgreSQL type.
    public static var postgresType: PostgresType { Wrapped.postgresType }

    /// Appends the value, or NULL for nil.
    public func encode(into buffer: inout PostgresBuffer) {
        switch self {
        case .some(let value): value.encode(into: &buffer)
        case .none: buffer.appendNull()
        }
    }
}
