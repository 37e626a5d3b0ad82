/// The result of a statement: its rows in the server's order, none for a statement without rows.
///
/// The rows share the memory in which libpq received them. Decoding copies a value.
public struct PostgresRows: RandomAccessCollection, Sendable {
    /// The name of the statement.
    public let statement: String
    /// The number of rows that INSERT, UPDATE, DELETE, SELECT or COPY processed; 0 for other commands.
    public let affectedRows: Int
    private let content: Content

    private enum Content {
        case server(ResultHandle)
        case standIn([PostgresRowDraft])
    }

    init(statement: String, result: ResultHandle) {
        self.statement = statement
        self.content = .server(result)
        self.affectedRows = result.affectedRows
    }

    /// Creates the result of a stand-in.
    /// - Parameters:
    ///   - statement: the statement.
    ///   - rows: the rows, all of the same types.
    ///   - affectedRows: the number of rows processed; nil for the number of `rows`.
    package init(of statement: Statement, _ rows: [PostgresRowDraft], affectedRows: Int? = nil) {
        precondition(rows.allSatisfy { $0.types == rows[0].types }, "the rows of a result must have the same types")
        self.statement = statement.name
        self.content = .standIn(rows)
        self.affectedRows = affectedRows ?? rows.count
    }

    /// The server's command tag, such as `COMMIT` or `INSERT 0 1`.
    var commandTag: String {
        switch content {
        case .server(let result): result.commandTag
        case .standIn: ""
        }
    }

    /// The position of the first row: always 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int {
        switch content {
        case .server(let result): result.rowCount
        case .standIn(let rows): rows.count
        }
    }

    /// The row at a position.
    public subscript(position: Int) -> PostgresRow {
        precondition(indices.contains(position), "row \(position) of \(count)")
        return switch content {
        case .server(let result): PostgresRow(statement: statement, values: .server(result, index: position))
        case .standIn(let rows): PostgresRow(statement: statement, values: .standIn(rows[position]))
        }
    }
}
