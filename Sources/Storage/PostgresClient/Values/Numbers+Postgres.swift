// boolean, smallint, integer, bigint and double precision.

extension Bool: PostgresEncodable, PostgresDecodable {
    /// `boolean`.
    public static var postgresType: PostgresType { .boolean }

    /// One byte, 0 or 1.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(UInt8(self ? 1 : 0))
    }

    /// `boolean`.
    public static var expectedPostgresType: String { PostgresType.boolean.description }

    /// `boolean` only.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .boolean }

    /// Reads one byte.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self = try bytes.integer(UInt8.self) != 0
    }
}

// Columns of another width are not read as an integer: a schema and its reader that disagree are found by the first
// test.

extension PostgresEncodable where Self: FixedWidthInteger {
    /// Big-endian, in the type's width.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(self)
    }
}

extension PostgresDecodable where Self: FixedWidthInteger & BitwiseCopyable & PostgresEncodable {
    /// The SQL type of the same width.
    public static var expectedPostgresType: String { postgresType.description }

    /// The type of the same width only.
    public static func canDecode(_ type: PostgresType) -> Bool { type == postgresType }

    /// Reads the type's width, big-endian.
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

    /// IEEE 754, big-endian.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(bitPattern)
    }

    /// `double precision`.
    public static var expectedPostgresType: String { PostgresType.double.description }

    /// `double precision` only.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .double }

    /// Reads eight bytes.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self.init(bitPattern: try bytes.integer(UInt64.self))
    }
}
