import CLibpq

extension PostgresQuery {
    static let begin = PostgresQuery(Statement("begin", "BEGIN"))
    static let commit = PostgresQuery(Statement("commit", "COMMIT"))
    static let rollback = PostgresQuery(Statement("rollback", "ROLLBACK"))
}

extension Session {
    /// What the server owes an answer to.
    private enum Answer {
        case toPrepare(Statement)
        case toExecute(Statement)

        var statement: Statement {
            switch self {
            case .toPrepare(let statement), .toExecute(let statement): statement
            }
        }
    }

    /// Sends all queries behind each other and then reads all answers: one round trip.
    ///
    /// After the first error the server skips what follows.
    /// - Throws: the first error.
    func pipeline(_ queries: [PostgresQuery], on exchange: inout Exchange) throws(PostgresError) -> [PostgresRows] {
        try exchange.require(exchange.connection.enterPipelineMode())
        let answers = try send(queries, on: exchange)
        try exchange.require(exchange.connection.sendPipelineSync())
        var rows: [PostgresRows] = []
        var firstError: PostgresError?
        for answer in answers {
            exchange.statement = answer.statement.name
            guard let result = try exchange.nextResult() else { throw exchange.lost() }
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                switch answer {
                case .toPrepare(let statement): prepared[statement.name] = statement.sql
                case .toExecute(let statement): rows.append(PostgresRows(statement: statement.name, result: result))
                }
            case PGRES_PIPELINE_ABORTED:
                break
            default:
                firstError = firstError ?? exchange.failure(result)
            }
            guard try exchange.nextResult() == nil, exchange.connection.isUsable else { throw exchange.lost() }
        }
        guard let end = try exchange.nextResult(), end.status == PGRES_PIPELINE_SYNC else { throw exchange.lost() }
        try exchange.require(exchange.connection.exitPipelineMode())
        if let firstError { throw firstError }
        return rows
    }

    private func send(_ queries: [PostgresQuery], on exchange: borrowing Exchange) throws(PostgresError) -> [Answer] {
        let connection = exchange.connection
        var answers: [Answer] = []
        var preparing: [String: String] = [:]
        for query in queries {
            let statement = query.statement
            guard options.preparesStatements else {
                try exchange.require(connection.sendUnprepared(query))
                answers.append(.toExecute(statement))
                continue
            }
            if let sql = prepared[statement.name] ?? preparing[statement.name] {
                precondition(sql == statement.sql, "two statements are named \(statement.name)")
            } else {
                try exchange.require(connection.sendPrepare(query))
                preparing[statement.name] = statement.sql
                answers.append(.toPrepare(statement))
            }
            try exchange.require(connection.sendPrepared(query))
            answers.append(.toExecute(statement))
        }
        return answers
    }
}
