import CLibpq

extension PostgresQuery {
    static let begin = PostgresQuery(Statement("begin", "BEGIN"))
    static let commit = PostgresQuery(Statement("commit", "COMMIT"))
    static let rollback = PostgresQuery(Statement("rollback", "ROLLBACK"))

    /// Whether it may change something, so that its transaction has something to commit.
    var mayWrite: Bool { !statement.sql.hasPrefix("SELECT") }
}

extension PostgresSession {
    /// A reply that the server has yet to send.
    private enum Reply {
        case prepared(Statement)
        case executed(Statement)

        var statement: Statement {
            switch self {
            case .prepared(let statement), .executed(let statement): statement
            }
        }
    }

    /// Sends all queries and then reads all replies, in one round trip.
    ///
    /// After an error the server skips the remaining queries. Before it commits, it sends the replies so far, so that the
    /// exchange knows when it does.
    /// - Parameters:
    ///   - queries: the queries.
    ///   - commits: whether the server commits at the end of the pipeline, since there is no transaction.
    ///   - exchange: the exchange.
    /// - Returns: the rows of each query.
    /// - Throws: the first error.
    func pipeline(
        _ queries: [PostgresQuery],
        committing commits: Bool = false,
        on exchange: inout StatementExchange
    ) throws(PostgresError) -> [PostgresRows] {
        try exchange.require(exchange.connection.enterPipelineMode())
        let replies = try send(queries, on: exchange)
        if commits, queries.contains(where: \.mayWrite) { try exchange.require(exchange.connection.sendFlushRequest()) }
        try exchange.require(exchange.connection.sendPipelineSync())
        var rows: [PostgresRows] = []
        var firstError: PostgresError?
        for reply in replies {
            exchange.statement = reply.statement.name
            exchange.isCommitting = reply.statement.name == PostgresQuery.commit.statement.name
            guard let result = try exchange.nextResult() else { throw exchange.connectionLostError() }
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                switch reply {
                case .prepared(let statement): prepared[statement.name] = statement.sql
                case .executed(let statement): rows.append(PostgresRows(statement: statement.name, result: result))
                }
            case PGRES_PIPELINE_ABORTED:
                break
            default:
                firstError = firstError ?? exchange.failure(result)
            }
            guard try exchange.nextResult() == nil, exchange.connection.isUsable else {
                throw exchange.connectionLostError()
            }
        }
        exchange.isCommitting = true
        guard let end = try exchange.nextResult(), end.status == PGRES_PIPELINE_SYNC else {
            throw exchange.connectionLostError()
        }
        try exchange.require(exchange.connection.exitPipelineMode())
        if let firstError { throw firstError }
        return rows
    }

    private func send(_ queries: [PostgresQuery], on exchange: borrowing StatementExchange) throws(PostgresError)
        -> [Reply]
    {
        let connection = exchange.connection
        var replies: [Reply] = []
        var preparing: [String: String] = [:]
        for query in queries {
            let statement = query.statement
            if !replies.isEmpty, statement.name == PostgresQuery.commit.statement.name {
                try exchange.require(connection.sendFlushRequest())
            }
            guard options.preparesStatements else {
                try exchange.require(connection.sendUnprepared(query))
                replies.append(.executed(statement))
                continue
            }
            if let sql = prepared[statement.name] ?? preparing[statement.name] {
                precondition(sql == statement.sql, "two statements have the name \(statement.name)")
            } else {
                try exchange.require(connection.sendPrepare(query))
                preparing[statement.name] = statement.sql
                replies.append(.prepared(statement))
            }
            try exchange.require(connection.sendPrepared(query))
            replies.append(.executed(statement))
        }
        return replies
    }
}
