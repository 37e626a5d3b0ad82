/// The result of a statement: its rows in the server's order, none for a statement without rows.
///
/// The rows share the memory in which libpq received them. Decoding copies a value.
public struct PostgresRows: RandomAccessCollection, Sendable {
    /// The name of the statement.
    public let statement: String
    /// The number of rows that INSERT, UPDATE, DELETE, SELECT or COPY processed; 0 for other commands.
    public let affectedRows: Int
    private let result: ResultHandle

    init(statement: String, result: ResultHandle) {
        self.statement = statement
        self.result = result
        self.affectedRows = result.affectedRows
    }

    /// Creates the result of a stand-in.
    /// - Parameters:
    ///   - statement: the statement.
    ///   - rows: the rows, all of the same types.
    ///   - affectedRows: the number of rows processed; nil for the number of `rows`.
    package init(of statement: Statement, _ rows: [PostgresRowDraft], affectedRows: Int? = nil) {
        self.statement = statement.name
        self.result = ResultHandle(rows)
        self.affectedRows = affectedRows ?? rows.count
    }

    /// The server's command tag, such as `COMMIT` or `INSERT 0 1`.
    var commandTag: String { result.commandTag }

    /// The position of the first row: always 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { result.rowCount }

    /// The row at a position.
    public subscript(position: Int) -> PostgresRow {
        precondition(indices.contains(position), "row \(position) of \(count)")
        return PostgresRow(statement: statement, result: result, index: position)
    }
}
