/// A `timestamptz` value: whole microseconds from 4713 BC to 294276 AD.
public struct PostgresTimestamp: Hashable, Comparable, Sendable {
    /// PostgreSQL's epoch, 2000-01-01T00:00:00Z, in microseconds since 1970.
    static let epochMicroseconds: Int64 = 946_684_800_000_000

    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// Creates a timestamp from microseconds since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Orders timestamps chronologically.
    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}

extension PostgresTimestamp: PostgresEncodable, PostgresDecodable {
    /// `timestamptz`.
    public static var postgresType: PostgresType { .timestamptz }

    /// Encodes microseconds since 2000.
    ///
    /// Earlier values than the format can represent saturate; the server rejects them.
    public func encode(into buffer: inout PostgresBuffer) {
        let (value, overflow) = microseconds.subtractingReportingOverflow(Self.epochMicroseconds)
        buffer.append(overflow ? Int64.min + 1 : value)
    }

    /// `timestamp with time zone`.
    public static var expectedPostgresType: String { PostgresType.timestamptz.description }

    /// Returns whether the type is `timestamptz`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .timestamptz }

    /// Decodes microseconds since 2000.
    ///
    /// `infinity` and `-infinity` are errors.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        let value = try bytes.integer(Int64.self)
        guard value != .max, value != .min else { throw PostgresValueError("the timestamp is infinite") }
        let (microseconds, overflow) = value.addingReportingOverflow(Self.epochMicroseconds)
        guard !overflow else { throw PostgresValueError("the timestamp is out of range") }
        self.init(microseconds: microseconds)
    }
}
