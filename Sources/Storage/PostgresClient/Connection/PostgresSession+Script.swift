import CLibpq

extension PostgresSession {
    /// The size of each part of a COPY passed to libpq, which copies it: the size of libpq's send buffer.
    private static let copyPartBytes = 16 * 1_024
    private static let foreignCopy = "the statement started a COPY that this call does not serve"

    /// Sends rows with COPY … FROM STDIN.
    func copy(
        _ rows: PostgresCopyRows,
        by statement: Statement,
        on exchange: inout StatementExchange
    ) throws(PostgresError) -> PostgresRows {
        exchange.statement = statement.name
        try exchange.require(exchange.connection.sendScript(statement.sql))
        guard let opening = try exchange.nextResult() else { throw exchange.connectionLostError() }
        switch opening.status {
        case PGRES_COPY_IN:
            break
        case PGRES_FATAL_ERROR:
            let error = exchange.failure(opening)
            _ = try? readToEnd(of: &exchange)  // ignored: the statement's only error is `error`
            throw error
        default:
            preconditionFailure("statement \(statement.name) is not a COPY … FROM STDIN")
        }
        let stream = rows.stream
        for start in stride(from: 0, to: stream.count, by: Self.copyPartBytes) {
            let part = start..<min(start + Self.copyPartBytes, stream.count)
            try exchange.send { $0.putCopyData(stream.span.extracting(part)) }
        }
        try exchange.send { $0.putCopyEnd() }
        return PostgresRows(statement: statement.name, result: try readToEnd(of: &exchange))
    }

    /// Runs statements with the simple query protocol.
    func script(_ sql: String, on exchange: inout StatementExchange) throws(PostgresError) {
        try exchange.require(exchange.connection.sendScript(sql))
        try readToEnd(of: &exchange)
    }

    /// Reads all remaining results.
    /// - Returns: the last result.
    /// - Throws: the first error that a result reports, after reading all results;
    ///   ``PostgresError/connectionLost(statement:reason:)`` immediately if a result starts a COPY.
    @discardableResult
    private func readToEnd(of exchange: inout StatementExchange) throws(PostgresError) -> ResultHandle {
        var last: ResultHandle?
        var firstError: PostgresError?
        while let result = try exchange.nextResult() {
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                last = result
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                // libpq repeats this result until rows are exchanged, which this function does not do. The connection
                // is in the middle of a statement and is going to be closed.
                throw .connectionLost(statement: exchange.statement, reason: Self.foreignCopy)
            default:
                firstError = firstError ?? exchange.failure(result)
            }
            guard exchange.connection.isUsable else { break }
        }
        if let firstError { throw firstError }
        guard let last else { throw exchange.connectionLostError() }
        return last
    }
}
