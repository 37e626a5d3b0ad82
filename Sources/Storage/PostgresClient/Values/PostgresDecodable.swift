/// A Swift type that a column can be read as.
///
/// A type with a raw value only declares the conformance: it is read as its raw value.
public protocol PostgresDecodable {
    /// What the type is called in errors: a SQL type's name.
    static var expectedPostgresType: String { get }

    /// Whether columns of a type can be read as this one.
    static func canDecode(_ type: PostgresType) -> Bool

    /// Whether columns of a type can be read as an array of this one; there is a default.
    static func canDecode(arrayType type: PostgresType) -> Bool

    /// Reads a value that is not NULL.
    /// - Parameters:
    ///   - bytes: the value in PostgreSQL's binary format, valid during the call only.
    ///   - type: one that ``canDecode(_:)`` has accepted.
    /// - Throws: when the bytes are not what the type promises.
    init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError)

    /// Reads an array that is not NULL; there is a default.
    static func decode(array bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) -> [Self]

    /// What NULL is read as; nil, the default, makes it an error.
    static var null: Self? { get }
}

/// Why the bytes of a value are not what its type promises.
public struct PostgresValueError: Error, Hashable, Sendable {
    /// One sentence without the value itself, which may be secret.
    public let reason: String

    /// A value that could not be read, and why.
    public init(_ reason: String) {
        self.reason = reason
    }
}

extension PostgresDecodable {
    /// None: NULL is an error.
    public static var null: Self? { nil }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    /// The raw value's.
    public static var expectedPostgresType: String { RawValue.expectedPostgresType }

    /// Whether the raw value can be read from such columns.
    public static func canDecode(_ type: PostgresType) -> Bool { RawValue.canDecode(type) }

    /// Reads the raw value; one that stands for no value of this type is an error.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        guard let value = Self(rawValue: try RawValue(decoding: bytes, as: type)) else {
            throw PostgresValueError("the raw value stands for no \(Self.self)")
        }
        self = value
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// The wrapped type's.
    public static var expectedPostgresType: String { Wrapped.expectedPostgresType }

    /// Whether the wrapped type can be read from such columns.
    public static func canDecode(_ type: PostgresType) -> Bool { Wrapped.canDecode(type) }

    /// Reads a value that is not NULL.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self = try Wrapped(decoding: bytes, as: type)
    }

    /// NULL is read as nil.
    public static var null: Self? { .some(.none) }
}

extension RawSpan {
    /// The bytes as one integer in network byte order; they must be exactly as many as it has.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ type: Integer.Type = Integer.self
    ) throws(PostgresValueError) -> Integer {
        guard byteCount == MemoryLayout<Integer>.size else {
            throw PostgresValueError("\(byteCount) bytes came instead of \(MemoryLayout<Integer>.size)")
        }
        // Safe: the count was just checked, and every pattern of bits is an integer.
        return Integer(bigEndian: unsafe unsafeLoadUnaligned(as: Integer.self))
    }

    /// The bytes, copied.
    var copied: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
