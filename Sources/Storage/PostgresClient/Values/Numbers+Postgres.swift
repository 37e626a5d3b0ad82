// Conversions of boolean, smallint, integer, bigint and double precision.

extension Bool: PostgresEncodable, PostgresDecodable {
    /// `boolean`.
    public static var postgresType: PostgresType { .boolean }

    /// Encodes one byte, 0 or 1.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(UInt8(self ? 1 : 0))
    }

    /// `boolean`.
    public static var expectedPostgresType: String { PostgresType.boolean.description }

    /// Returns whether the type is `boolean`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .boolean }

    /// Decodes one byte.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self = try bytes.integer(UInt8.self) != 0
    }
}

// An integer column is decoded only as the integer type of its width, so that the first test finds a reader that
// disagrees with the schema.

extension PostgresEncodable where Self: FixedWidthInteger {
    /// Encodes the integer in big-endian byte order, in the type's width.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(self)
    }
}

extension PostgresDecodable where Self: FixedWidthInteger & BitwiseCopyable & PostgresEncodable {
    /// The SQL type of the same width.
    public static var expectedPostgresType: String { postgresType.description }

    /// Returns whether the type is the SQL type of the same width.
    public static func canDecode(_ type: PostgresType) -> Bool { type == postgresType }

    /// Decodes an integer of the type's width in big-endian byte order.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self = try bytes.integer(Self.self)
    }
}

extension Int16: PostgresEncodable, PostgresDecodable {
    /// `smallint`.
    public static var postgresType: PostgresType { .smallint }
}

extension Int32: PostgresEncodable, PostgresDecodable {
    /// `integer`.
    public static var postgresType: PostgresType { .integer }
}

extension Int64: PostgresEncodable, PostgresDecodable {
    /// `bigint`.
    public static var postgresType: PostgresType { .bigint }
}

extension Int: PostgresEncodable, PostgresDecodable {
    /// `bigint`.
    public static var postgresType: PostgresType { .bigint }
}

extension Double: PostgresEncodable, PostgresDecodable {
    /// `double precision`.
    public static var postgresType: PostgresType { .double }

    /// Encodes the IEEE 754 representation in big-endian byte order.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(bitPattern)
    }

    /// `double precision`.
    public static var expectedPostgresType: String { PostgresType.double.description }

    /// Returns whether the type is `double precision`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .double }

    /// Decodes eight bytes.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self.init(bitPattern: try bytes.integer(UInt64.self))
    }
}
