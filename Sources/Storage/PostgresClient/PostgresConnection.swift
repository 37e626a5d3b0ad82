/// A connection that the pool has lent to a closure, which may use it until it returns.
///
/// Everything sent here runs in the order of the calls. In ``PostgresPool/withTransaction(_:)`` all of it is one
/// transaction.
public struct PostgresConnection: Sendable {
    let link: Link

    /// Runs one statement.
    public func query(_ query: PostgresQuery) async throws(PostgresError) -> PostgresRows {
        try await pipeline([query])[0]
    }

    /// Runs statements in order, in one round trip.
    ///
    /// Later statements cannot use what earlier ones return. Outside a transaction a failing statement undoes the
    /// earlier ones of its pipeline on PostgreSQL itself, but not on every engine that speaks its protocol: what must
    /// be atomic belongs in a transaction. In a transaction, the first call carries BEGIN in front of its statements,
    /// and the last may carry COMMIT behind them, so that a transaction can be a single round trip:
    ///
    ///     try await pool.withTransaction { connection in
    ///         try await connection.pipeline([debit, credit], committing: true)
    ///     }
    ///
    /// - Parameters:
    ///   - queries: what to run; nothing is sent for none.
    ///   - committing: whether these are the transaction's last statements: COMMIT follows them in the same round
    ///     trip, unless one fails. Nothing can be sent afterwards. Only in a transaction.
    /// - Returns: the rows of each, in the order of `queries`.
    /// - Throws: the first error, which names its statement; what follows it was not run.
    @discardableResult
    public func pipeline(
        _ queries: [PostgresQuery],
        committing: Bool = false
    ) async throws(PostgresError) -> [PostgresRows] {
        guard !queries.isEmpty || committing else { return [] }
        switch link {
        case .server(let link):
            precondition(!committing || link.lease.with { $0.isTransaction }, "there is no transaction to commit")
            return try await link.run(.pipeline(queries, committing: committing))
        case .standIn(let session):
            return try await session.run(queries, committing: committing)
        }
    }

    /// Sends rows with COPY.
    /// - Parameters:
    ///   - statement: `COPY table (columns) FROM STDIN (FORMAT binary)`.
    ///   - rows: what to send, each value of exactly its column's type.
    /// - Returns: the number of rows stored.
    /// - Throws: ``PostgresError``; no row is stored then.
    @discardableResult
    public func copyIn(_ statement: Statement, _ rows: PostgresCopyRows) async throws(PostgresError) -> Int {
        try await server.run(.copy(statement, rows))[0].affectedRows
    }

    /// Runs a text of any number of statements without parameters or results: a migration.
    ///
    /// Never put values into it. COPY from or to the client is not for scripts: it costs the connection.
    public func script(_ sql: String) async throws(PostgresError) {
        _ = try await server.run(.script(sql))
    }

    private var server: ServerLink {
        guard case .server(let link) = link else { preconditionFailure("a stand-in knows neither COPY nor scripts") }
        return link
    }
}

extension PostgresConnection {
    /// What answers.
    enum Link: Sendable {
        case server(ServerLink)
        case standIn(any PostgresStandInSession)
    }

    /// Runs a borrower's closure and then does what its lease owes, whatever happened.
    func lend<Result: Sendable>(to body: (PostgresConnection) async throws -> Result) async throws -> Result {
        switch link {
        case .server(let link): try await link.lend(self, to: body)
        case .standIn(let session): try await session.lend(self, to: body)
        }
    }
}

/// A session with a server, lent to one borrower.
struct ServerLink: Sendable {
    let session: Session
    let lease: Lease
    let timeLimit: Duration?

    func run(_ work: Session.Work) async throws(PostgresError) -> [PostgresRows] {
        let interruption = Interruption(waking: session.wakeUp)
        return try await withTaskCancellationHandler {
            await session.run(work, for: lease, timeLimit: timeLimit, interruption: interruption)
        } onCancel: {
            interruption.request()
        }.get()
    }
}

extension ServerLink {
    /// How long ROLLBACK may take before the connection is closed instead: it needs no lock and no disk.
    private static let rollbackTimeLimit: Duration = .seconds(5)

    /// Runs a borrower's closure and then does what its lease owes, whatever happened.
    ///
    /// A cancelled task does not stop COMMIT or ROLLBACK: the first was decided by the closure's return, the second
    /// must happen.
    func lend<Result: Sendable>(
        _ connection: PostgresConnection,
        to body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        defer { lease.with { $0.end() } }
        let result: Result
        do {
            result = try await body(connection)
        } catch {
            try? await settle(lease.with { $0.bodyThrew() })  // tells nothing new: the error that counts is thrown
            throw error
        }
        try await settle(lease.with { $0.bodyReturned() })
        return result
    }

    private func settle(_ ending: LeaseMachine.Ending) async throws(PostgresError) {
        switch ending {
        case .nothing:
            return
        case .commit:
            _ = try await finish(.commit, timeLimit: timeLimit).get()
        case .rollBack(let error):
            _ = await finish(.rollback, timeLimit: Self.rollbackTimeLimit)  // a failure leaves no usable connection
            if let error { throw error }
        case .tell(let error):
            throw error
        }
    }

    private func finish(
        _ query: PostgresQuery,
        timeLimit: Duration?
    ) async -> Result<[PostgresRows], PostgresError> {
        await session.run(
            .pipeline([query], committing: false),
            for: lease,
            timeLimit: timeLimit,
            interruption: Interruption(waking: session.wakeUp)
        )
    }
}
