/// What a statement returned: rows in the server's order, none for a statement that returns nothing.
///
/// The rows share the memory that libpq received them in; a value is copied out when it is decoded.
public struct PostgresRows: RandomAccessCollection, Sendable {
    /// The name of the statement.
    public let statement: String
    /// How many rows INSERT, UPDATE, DELETE, SELECT or COPY have touched; 0 for other commands.
    public let affectedRows: Int
    private let result: ResultHandle

    init(statement: String, result: ResultHandle) {
        self.statement = statement
        self.result = result
        self.affectedRows = result.affectedRows
    }

    /// What a stand-in answers.
    /// - Parameters:
    ///   - statement: the name of the statement.
    ///   - rows: the rows, all of the same types.
    ///   - affectedRows: how many rows were touched; nil for as many as there are.
    package init(of statement: Statement, _ rows: [PostgresRowDraft], affectedRows: Int? = nil) {
        self.statement = statement.name
        self.result = ResultHandle(rows)
        self.affectedRows = affectedRows ?? rows.count
    }

    /// What the server says that it has done, such as `COMMIT` or `INSERT 0 1`.
    var commandTag: String { result.commandTag }

    /// Always 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { result.rowCount }

    /// One row.
    public subscript(position: Int) -> PostgresRow {
        precondition(indices.contains(position), "row \(position) of \(count)")
        return PostgresRow(statement: statement, result: result, index: position)
    }
}
