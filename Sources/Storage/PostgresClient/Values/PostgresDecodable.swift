/// A type that can be decoded from a column.
///
/// A type with a raw value only has to declare conformance: its raw value is decoded.
public protocol PostgresDecodable {
    /// The SQL type name for errors.
    static var expectedPostgresType: String { get }

    /// Returns whether columns of a type can be decoded as this type.
    static func canDecode(_ type: PostgresType) -> Bool

    /// Returns whether columns of an array type can be decoded as an array of this type. Has a default implementation.
    static func canDecode(arrayType type: PostgresType) -> Bool

    /// Decodes a value that is not NULL.
    /// - Parameters:
    ///   - bytes: the value in PostgreSQL's binary format, valid only during the call.
    ///   - type: a type accepted by ``canDecode(_:)``.
    /// - Throws: ``PostgresValueError`` if the bytes are not a valid value of the type.
    init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError)

    /// Decodes an array that is not NULL. Has a default implementation.
    static func decode(array bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) -> [Self]

    /// Returns the value for NULL. The default throws an error.
    static func decodeNull() throws(PostgresValueError) -> Self
}

/// The reason why a value could not be decoded.
public struct PostgresValueError: Error, Hashable, Sendable {
    /// A message without the value itself, which may be secret.
    public let reason: String

    /// Creates an error.
    public init(_ reason: String) {
        self.reason = reason
    }
}

extension PostgresDecodable {
    /// Decoding NULL is an error.
    public static func decodeNull() throws(PostgresValueError) -> Self { throw PostgresValueError("NULL") }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    /// The SQL type name of the raw value.
    public static var expectedPostgresType: String { RawValue.expectedPostgresType }

    /// Returns whether the raw value can be decoded from the type.
    public static func canDecode(_ type: PostgresType) -> Bool { RawValue.canDecode(type) }

    /// Decodes the raw value.
    ///
    /// A raw value without a corresponding case is an error.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        guard let value = Self(rawValue: try RawValue(decoding: bytes, as: type)) else {
            throw PostgresValueError("the raw value is not a valid \(Self.self)")
        }
        self = value
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// The SQL type name of the wrapped type.
    public static var expectedPostgresType: String { Wrapped.expectedPostgresType }

    /// Returns whether the wrapped type can be decoded from the type.
    public static func canDecode(_ type: PostgresType) -> Bool { Wrapped.canDecode(type) }

    /// Decodes a value that is not NULL.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self = try Wrapped(decoding: bytes, as: type)
    }

    /// NULL is decoded as nil.
    public static func decodeNull() throws(PostgresValueError) -> Self { .none }
}

extension RawSpan {
    /// Decodes the bytes as one big-endian integer.
    ///
    /// Their count must match the integer's size.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type = Integer.self
    ) throws(PostgresValueError) -> Integer {
        guard byteCount == MemoryLayout<Integer>.size else {
            throw PostgresValueError("got \(byteCount) bytes instead of \(MemoryLayout<Integer>.size)")
        }
        // Safe: the count was just checked, and every bit pattern is a valid integer.
        return Integer(bigEndian: unsafe unsafeLoadUnaligned(as: Integer.self))
    }

    /// A copy of the bytes.
    var copied: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
