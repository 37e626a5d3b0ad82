import CLibpq
import Synchronization

/// One connection to the server, confined to a thread of its own.
///
/// Every method blocks that thread until the server has replied, so exchanges never interleave; the calling task is
/// suspended until then. ``ConnectionLease`` keeps the statements of one borrower together.
actor PostgresSession {
    /// A request of a borrower to the server.
    enum Work: Sendable {
        /// Statements in one round trip, followed by COMMIT if `committing`.
        case pipeline([PostgresQuery], committing: Bool)
        /// COPY … FROM STDIN.
        case copy(Statement, PostgresCopyRows)
        /// Statements without parameters or results.
        case script(String)
    }

    /// The session's part of the pool's configuration.
    struct Options: Sendable {
        let target: ConnectionTarget
        let connectTimeout: Duration
        let cancelTimeout: Duration
        let preparesStatements: Bool
    }

    let options: Options
    /// The SQL of the statements prepared on this connection, by name.
    var prepared: [String: String] = [:]
    nonisolated let poller: SocketPoller
    private let thread: ConnectionThread
    private var connection: ConnectionHandle?
    /// The descriptor of the connected socket, copied here so that any thread can read it.
    private let socket = Atomic<Int32>(SocketPoller.noSocket)

    /// The executor of the session's own thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    private init(options: Options) throws(PostgresError) {
        self.options = options
        poller = try SocketPoller()
        thread = ConnectionThread(name: "postgres")
    }

    /// Opens a connection to the server.
    /// - Throws: ``PostgresError/cannotConnect(reason:)`` or ``PostgresError/cancelled(statement:)``.
    static func connect(_ options: Options) async throws(PostgresError) -> PostgresSession {
        let session = try PostgresSession(options: options)
        let cancellation = CancellationFlag(waking: session.poller)
        try await withTaskCancellationHandler {
            await session.connect(cancellation)
        } onCancel: {
            cancellation.request()
        }.get()
        return session
    }

    isolated deinit {
        connection = nil
        thread.stop()
    }

    /// Whether no input has arrived since the last exchange.
    ///
    /// A server that shuts down sends a message or closes the socket.
    ///
    /// Only the session's borrower may read this: while it holds the session, nothing else closes the socket.
    nonisolated var hasNoPendingInput: Bool {
        let socket = socket.load(ordering: .acquiring)
        return socket >= 0 && !SocketPoller.isReady(socket, for: .readable)
    }

    /// Consumes input that arrived between exchanges, and returns whether the connection is still usable.
    func isAlive() -> Bool {
        guard let connection else { return false }
        while SocketPoller.isReady(connection.socket, for: .readable) {
            guard connection.consumeInput(), connection.isUsable else {
                close()
                return false
            }
        }
        return true
    }

    /// Runs one piece of work for a borrower and records the result in its lease.
    /// - Parameters:
    ///   - work: the work.
    ///   - lease: the borrower's lease, which may require BEGIN in front, or refuse.
    ///   - timeLimit: the time limit; nil for none.
    ///   - cancellation: ends the work early. If it is set before the start, nothing is sent.
    /// - Returns: the rows of each statement, or the first error.
    func run(
        _ work: Work,
        for lease: ConnectionLease,
        timeLimit: Duration?,
        cancellation: CancellationFlag
    ) -> Result<[PostgresRows], PostgresError> {
        guard !cancellation.isRequested else { return .failure(.cancelled(statement: nil)) }
        guard let connection else {
            return .failure(.connectionLost(statement: nil, reason: "the connection has been closed"))
        }
        let begins: Bool
        switch lease.with({ $0.exchangeStarts() }) {
        case .refuse: return .failure(.closed)
        case .withBegin: begins = true
        case .plain: begins = false
        }
        var exchange = StatementExchange(
            on: connection,
            statement: work.name,
            timeLimit: timeLimit,
            gracePeriod: options.cancelTimeout,
            cancellation: cancellation,
            poller: poller
        )
        var result: Result<[PostgresRows], PostgresError>
        var commit: ConnectionLeaseMachine.Commit?
        do throws(PostgresError) {
            let isTransaction = lease.with { $0.isTransaction }
            let done = try perform(work, beginning: begins, isTransaction: isTransaction, on: &exchange)
            result = .success(done.rows)
            commit = done.commit
        } catch {
            result = .failure(error)
        }
        if connection.takeUnreplicatedCommit() {
            result = .failure(
                .outcomeUnknown(statement: exchange.statement, reason: "no standby has confirmed the commit")
            )
        }
        var status = ConnectionLeaseMachine.Status(connection)
        if !exchange.finish() || result.makesConnectionUnusable { status = .broken }
        if status == .broken { close() }
        let error: PostgresError? = if case .failure(let error) = result { error } else { nil }
        lease.with { [status, commit] in $0.exchangeEnded(status: status, error: error, commit: commit) }
        return result
    }

    private func perform(
        _ work: Work,
        beginning: Bool,
        isTransaction: Bool,
        on exchange: inout StatementExchange
    ) throws(PostgresError) -> (rows: [PostgresRows], commit: ConnectionLeaseMachine.Commit?) {
        switch work {
        case .pipeline(let queries, let committing):
            let framed = (beginning ? [.begin] : []) + queries + (committing ? [.commit] : [])
            let rows = try pipeline(framed, committing: !isTransaction, on: &exchange)
            let commit = committing ? rows.last.map { ConnectionLeaseMachine.Commit(tag: $0.commandTag) } : nil
            return (Array(rows[(beginning ? 1 : 0)...].prefix(queries.count)), commit)
        case .copy(let statement, let rows):
            if beginning { _ = try pipeline([.begin], on: &exchange) }
            return ([try copy(rows, by: statement, on: &exchange)], nil)
        case .script(let sql):
            if beginning { _ = try pipeline([.begin], on: &exchange) }
            try script(sql, on: &exchange)
            return ([], nil)
        }
    }

    private func connect(_ cancellation: CancellationFlag) -> Result<Void, PostgresError> {
        do throws(PostgresError) {
            connection = try connected(cancellation)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func connected(_ cancellation: CancellationFlag) throws(PostgresError) -> ConnectionHandle {
        try options.target.validate()
        let deadline = ContinuousClock.now + options.connectTimeout
        let connection = try ConnectionHandle(connectingTo: options.target)
        // libpq's manual requires waiting for writability before the first call of PQconnectPoll.
        var awaited = SocketEvents.writable
        while true {
            guard connection.socket >= 0 else { throw .cannotConnect(reason: connection.errorMessage) }
            while !SocketPoller.isReady(connection.socket, for: awaited) {
                guard !cancellation.isRequested else { throw .cancelled(statement: nil) }
                guard ContinuousClock.now < deadline else {
                    throw .cannotConnect(reason: "no response within \(options.connectTimeout)")
                }
                poller.wait(for: awaited, on: connection.socket, until: deadline)
            }
            switch connection.proceedConnecting() {
            case .waiting(let readiness): awaited = readiness
            case .failed: throw .cannotConnect(reason: connection.errorMessage)
            case .connected:
                guard connection.setNonBlocking() else { throw .cannotConnect(reason: connection.errorMessage) }
                socket.store(connection.socket, ordering: .releasing)
                if connection.cancelHandle() == nil { try letServerWatch(connection, cancellation, until: deadline) }
                return connection
            }
        }
    }

    /// Lets the server look every second whether this side has closed the connection, which is then the only way to end
    /// a statement: without that, the server would complete it, and keep its locks until then.
    private func letServerWatch(
        _ connection: ConnectionHandle,
        _ cancellation: CancellationFlag,
        until deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        var exchange = StatementExchange(
            on: connection,
            statement: "connection.watch",
            timeLimit: deadline - .now,
            gracePeriod: .zero,
            cancellation: cancellation,
            poller: poller
        )
        do throws(PostgresError) {
            try script("SET client_connection_check_interval = 1000", on: &exchange)
        } catch .timedOut {
            throw .cannotConnect(reason: "no response within \(options.connectTimeout)")
        } catch .server {
            // A server on an operating system that cannot tell, or a pooler that forbids it.
        }
        _ = exchange.finish()
    }

    private func close() {
        socket.store(SocketPoller.noSocket, ordering: .releasing)
        connection = nil
        prepared = [:]
    }
}

extension PostgresSession.Work {
    /// The name that errors have before the first statement starts.
    fileprivate var name: String {
        switch self {
        case .pipeline(let queries, _): queries.first?.statement.name ?? PostgresQuery.commit.statement.name
        case .copy(let statement, _): statement.name
        case .script: "script"
        }
    }
}

extension ConnectionLeaseMachine.Commit {
    /// Creates the effect of a COMMIT from the command tag of its result: COMMIT or ROLLBACK (PostgreSQL's manual,
    /// COMMIT).
    fileprivate init(tag: String) {
        self = tag == "ROLLBACK" ? .rolledBack : .committed
    }
}

extension ConnectionLeaseMachine.Status {
    fileprivate init(_ connection: ConnectionHandle) {
        guard connection.isUsable else {
            self = .broken
            return
        }
        switch connection.transactionStatus {
        case PQTRANS_IDLE: self = .idle
        case PQTRANS_INTRANS: self = .inTransaction
        case PQTRANS_INERROR: self = .inFailedTransaction
        // In the middle of a statement, or unknown: the connection cannot be used again.
        default: self = .broken
        }
    }
}

extension Result where Failure == PostgresError {
    /// Whether the error means that the connection, or a statement prepared on it, cannot be used again.
    fileprivate var makesConnectionUnusable: Bool {
        guard case .failure(.server(let error)) = self else { return false }
        // The schema has changed under a prepared statement, or the statement was deallocated. A new connection
        // prepares every statement anew. 0A000 has other causes too, all of them rare programming errors.
        return error.state == .featureNotSupported || error.state == .invalidStatementName
    }
}
