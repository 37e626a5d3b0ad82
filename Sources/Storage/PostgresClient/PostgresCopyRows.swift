/// Rows for ``PostgresConnection/copyIn(_:_:)``, encoded in the format of binary COPY.
///
/// All rows are in memory at once. Copy a large table in several batches of one transaction.
public struct PostgresCopyRows: Sendable {
    /// The header of the format: signature, flags, length of the header extension (COPY in PostgreSQL's manual, "Binary
    /// Format").
    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
    /// The trailer of the format: a column count of -1.
    private static let trailer: [UInt8] = [0xFF, 0xFF]

    /// The number of rows.
    public private(set) var count = 0
    private var buffer: PostgresBuffer

    /// Creates an empty collection of rows.
    public init() {
        buffer = PostgresBuffer()
        buffer.append(bytes: Self.header)
    }

    /// Appends one row.
    ///
    /// The server converts nothing here: the type of each value must be the type of its column.
    public mutating func append<each Value: PostgresEncodable>(_ values: repeat each Value) {
        var columns: Int16 = 0
        for _ in repeat each values { columns += 1 }
        buffer.append(columns)
        for value in repeat each values { buffer.appendField(value) }
        count += 1
    }

    /// The complete COPY stream.
    var stream: [UInt8] { buffer.bytes + Self.trailer }
}
