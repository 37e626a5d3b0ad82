/// One row of a statement's result.
public struct PostgresRow: Sendable {
    private let statement: String
    private let result: ResultHandle
    private let index: Int

    init(statement: String, result: ResultHandle, index: Int) {
        self.statement = statement
        self.result = result
        self.index = index
    }

    /// Decodes the row's only column.
    /// - Parameter type: an optional type if the column may be NULL.
    /// - Returns: the value.
    /// - Throws: ``PostgresError/decoding(_:)`` if the number of columns, the type or the value does not match.
    public func decode<Value: PostgresDecodable>(_ type: Value.Type) throws(PostgresError) -> Value {
        try requireColumns(1)
        var column = 0
        return try next(type, &column)
    }

    /// Decodes all columns of the row, in order.
    /// - Parameter types: one for each column; an optional type if the column may be NULL.
    /// - Returns: a tuple.
    /// - Throws: ``PostgresError/decoding(_:)`` if the number of columns, a type or a value does not match.
    public func decode<each Value: PostgresDecodable>(
        _ types: repeat (each Value).Type
    ) throws(PostgresError) -> (repeat each Value) {
        var expected = 0
        for _ in repeat each types { expected += 1 }
        try requireColumns(expected)
        var column = 0
        return (repeat try next((each Value).self, &column))
    }

    private func requireColumns(_ expected: Int) throws(PostgresError) {
        guard expected == result.columnCount else {
            throw failure(column: nil, expected: "\(expected) columns", actual: "\(result.columnCount)")
        }
    }

    private func next<Value: PostgresDecodable>(
        _ type: Value.Type,
        _ column: inout Int
    ) throws(PostgresError) -> Value {
        defer { column += 1 }
        let actual = result.columnType(column)
        guard Value.canDecode(actual) else {
            throw failure(column: column, expected: Value.expectedPostgresType, actual: actual.description)
        }
        let value: Value?
        do throws(PostgresValueError) {
            value = try result.withValue(row: index, column: column) { bytes throws(PostgresValueError) in
                try Value(decoding: bytes, as: actual)
            }
        } catch {
            throw failure(column: column, expected: Value.expectedPostgresType, actual: "\(actual): \(error.reason)")
        }
        guard let value = value ?? Value.null else {
            throw failure(column: column, expected: Value.expectedPostgresType, actual: "NULL")
        }
        return value
    }

    private func failure(column: Int?, expected: String, actual: String) -> PostgresError {
        .decoding(
            PostgresDecodingError(
                statement: statement,
                column: column.map(result.columnName),
                expected: expected,
                actual: actual
            )
        )
    }
}
