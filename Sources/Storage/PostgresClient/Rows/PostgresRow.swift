/// One row of a statement's result.
public struct PostgresRow: Sendable {
    /// Where the row's values are.
    enum Values: Sendable {
        case server(ResultHandle, index: Int)
        case standIn(PostgresRowDraft)
    }

    /// The next column to decode.
    private struct Place {
        var column = 0
        /// Where its value begins in a draft.
        var offset = 0
    }

    private let statement: String
    private let values: Values

    init(statement: String, values: Values) {
        self.statement = statement
        self.values = values
    }

    /// Decodes the row's only column.
    /// - Parameter type: an optional type if the column may be NULL.
    /// - Returns: the value.
    /// - Throws: ``PostgresError/decoding(_:)`` if the number of columns, the type or the value does not match.
    public func decode<Value: PostgresDecodable>(_ type: Value.Type) throws(PostgresError) -> Value {
        try requireColumns(1)
        var place = Place()
        switch values {
        case .server: return try next(type, &place)
        case .standIn(let draft): return try next(type, of: draft, &place)
        }
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
        var place = Place()
        switch values {
        case .server: return (repeat try next((each Value).self, &place))
        case .standIn(let draft): return (repeat try next((each Value).self, of: draft, &place))
        }
    }

    private func requireColumns(_ expected: Int) throws(PostgresError) {
        let count = values.columnCount
        guard expected == count else {
            throw failure(column: nil, expected: "\(expected) columns", actual: "\(count)")
        }
    }

    private func next<Value: PostgresDecodable>(
        _ type: Value.Type,
        _ place: inout Place
    ) throws(PostgresError) -> Value {
        guard case .server(let result, let index) = values else {
            preconditionFailure("a draft has columns of its own")
        }
        let column = place.column
        place.column += 1
        let actual = result.columnType(column)
        guard Value.canDecode(actual) else { throw failure(type, column, actual.description) }
        guard !result.isNull(row: index, column: column) else { return try null(type, column) }
        do throws(PostgresValueError) {
            return try result.withValue(row: index, column: column) { bytes throws(PostgresValueError) in
                try Value(decoding: bytes, as: actual)
            }
        } catch {
            throw failure(type, column, "\(actual): \(error.reason)")
        }
    }

    /// Decodes the next column of a draft, which is copied once for a row, not for each column.
    private func next<Value: PostgresDecodable>(
        _ type: Value.Type,
        of draft: PostgresRowDraft,
        _ place: inout Place
    ) throws(PostgresError) -> Value {
        let column = place.column
        place.column += 1
        let actual = draft.types[column]
        guard Value.canDecode(actual) else { throw failure(type, column, actual.description) }
        guard let range = draft.values.nextField(from: &place.offset) else { return try null(type, column) }
        do throws(PostgresValueError) {
            return try unsafe Value(decoding: draft.values.bytes.span.bytes.extracting(range), as: actual)
        } catch {
            throw failure(type, column, "\(actual): \(error.reason)")
        }
    }

    private func null<Value: PostgresDecodable>(_ type: Value.Type, _ column: Int) throws(PostgresError) -> Value {
        do throws(PostgresValueError) {
            return try Value.decodeNull()
        } catch {
            throw failure(type, column, error.reason)
        }
    }

    private func failure<Value: PostgresDecodable>(
        _ type: Value.Type,
        _ column: Int,
        _ actual: String
    ) -> PostgresError {
        failure(column: column, expected: Value.expectedPostgresType, actual: actual)
    }

    private func failure(column: Int?, expected: String, actual: String) -> PostgresError {
        .decoding(
            PostgresDecodingError(
                statement: statement,
                column: column.map(values.columnName),
                expected: expected,
                actual: actual
            )
        )
    }
}

extension PostgresRow.Values {
    fileprivate var columnCount: Int {
        switch self {
        case .server(let result, _): result.columnCount
        case .standIn(let draft): draft.types.count
        }
    }

    fileprivate func columnName(_ column: Int) -> String {
        switch self {
        case .server(let result, _): result.columnName(column)
        case .standIn: "\(column + 1)"
        }
    }
}
