/// A connection that a pool lends to a closure until the closure returns.
///
/// Statements run in the order of the calls. In ``PostgresPool/withTransaction(_:)`` they form one transaction.
public struct PostgresConnection: Sendable {
    let link: Link

    /// Runs one statement.
    public func query(_ query: PostgresQuery) async throws(PostgresError) -> PostgresRows {
        try await pipeline([query])[0]
    }

    /// Runs statements in order, in one round trip.
    ///
    /// Later statements cannot use the results of earlier ones. Outside a transaction, PostgreSQL rolls back the
    /// earlier statements of a pipeline when one fails, but not every server with its protocol does: use a transaction
    /// where atomicity matters. In a transaction, BEGIN is sent before the first call's statements, and COMMIT can be
    /// sent after the last call's, so a transaction can be a single round trip:
    ///
    ///     try await pool.withTransaction { connection in
    ///         try await connection.pipeline([debit, credit], committing: true)
    ///     }
    ///
    /// - Parameters:
    ///   - queries: the statements. If there are none, nothing is sent.
    ///   - committing: whether these are the transaction's last statements. COMMIT then follows them in the same round
    ///     trip, unless one fails, and nothing can be sent afterwards. Requires a transaction.
    /// - Returns: the rows of each statement, in the order of `queries`.
    /// - Throws: the first error, which names its statement. The statements after it were not executed.
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
    ///   - rows: the rows. Each value has exactly its column's type.
    /// - Returns: the number of rows stored.
    /// - Throws: ``PostgresError``. No row is stored then.
    @discardableResult
    public func copyIn(_ statement: Statement, _ rows: PostgresCopyRows) async throws(PostgresError) -> Int {
        try await server.run(.copy(statement, rows))[0].affectedRows
    }

    /// Runs a script of any number of statements without parameters or results, such as a migration.
    ///
    /// Never interpolate values into it. Scripts must not use COPY from or to the client, which breaks the connection.
    public func script(_ sql: String) async throws(PostgresError) {
        _ = try await server.run(.script(sql))
    }

    private var server: LeasedSession {
        guard case .server(let link) = link else { preconditionFailure("a stand-in supports neither COPY nor scripts") }
        return link
    }
}

extension PostgresConnection {
    /// The server or stand-in that runs the statements.
    enum Link: Sendable {
        case server(LeasedSession)
        case standIn(any PostgresStandInSession)
    }

    /// Runs a borrower's closure, then commits or rolls back as its lease requires.
    func lend<Result: Sendable>(to body: (PostgresConnection) async throws -> Result) async throws -> Result {
        switch link {
        case .server(let link): try await link.lend(self, to: body)
        case .standIn(let session): try await session.lend(self, to: body)
        }
    }
}

/// A session with a server, leased to one borrower.
struct LeasedSession: Sendable {
    let session: PostgresSession
    let lease: ConnectionLease
    let timeLimit: Duration?

    func run(_ work: PostgresSession.Work) async throws(PostgresError) -> [PostgresRows] {
        let cancellation = CancellationFlag(waking: session.poller)
        return try await withTaskCancellationHandler {
            await session.run(work, for: lease, timeLimit: timeLimit, cancellation: cancellation)
        } onCancel: {
            cancellation.request()
        }.get()
    }
}

extension LeasedSession {
    /// The time limit for ROLLBACK, after which the connection is closed: ROLLBACK needs neither locks nor disk.
    private static let rollbackTimeLimit: Duration = .seconds(5)

    /// Runs a borrower's closure, then commits or rolls back as its lease requires.
    ///
    /// Cancelling the task stops neither COMMIT nor ROLLBACK: the closure has returned, so its work is to be committed,
    /// or it has thrown, and the transaction must not stay open.
    func lend<Result: Sendable>(
        _ connection: PostgresConnection,
        to body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        defer { lease.with { $0.end() } }
        let result: Result
        do {
            result = try await body(connection)
        } catch {
            try? await perform(lease.with { $0.bodyThrew() })  // ignored: the closure's error is thrown
            throw error
        }
        try await perform(lease.with { $0.bodyReturned() })
        return result
    }

    private func perform(_ ending: ConnectionLeaseMachine.Ending) async throws(PostgresError) {
        switch ending {
        case .nothing:
            return
        case .commit:
            _ = try await finish(.commit, timeLimit: timeLimit).get()
        case .rollBack(let error):
            _ = await finish(.rollback, timeLimit: Self.rollbackTimeLimit)  // a failure closes the connection
            if let error { throw error }
        case .fail(let error):
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
            cancellation: CancellationFlag(waking: session.poller)
        )
    }
}
