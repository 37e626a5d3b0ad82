import CLibpq
import Synchronization

/// One connection to the server, confined to a thread of its own.
///
/// Every method blocks that thread until the server has answered, so that exchanges never mix; the caller's task is
/// suspended meanwhile. What belongs together (a transaction) is the borrower's matter: see ``Lease``.
actor Session {
    /// What a borrower can ask of the server.
    enum Work: Sendable {
        /// Statements in one round trip, with COMMIT behind them if `committing`.
        case pipeline([PostgresQuery], committing: Bool)
        /// COPY … FROM STDIN.
        case copy(Statement, PostgresCopyRows)
        /// Statements without parameters or results.
        case script(String)
    }

    /// A session's part of the pool's configuration.
    struct Options: Sendable {
        let target: ConnectionTarget
        let connectTimeout: Duration
        let cancelTimeout: Duration
        let preparesStatements: Bool
    }

    let options: Options
    /// The statements that the server has prepared for this connection: SQL by name.
    var prepared: [String: String] = [:]
    nonisolated let wakeUp: WakeUp
    private let thread: ConnectionThread
    private var connection: ConnectionHandle?
    /// A copy of the connected socket's number, to be looked at without a detour over the thread.
    private let socket = Atomic<Int32>(WakeUp.noSocket)

    /// The session's own thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    private init(options: Options) throws(PostgresError) {
        self.options = options
        wakeUp = try WakeUp()
        thread = ConnectionThread(name: "postgres")
    }

    /// Connects.
    /// - Throws: ``PostgresError/cannotConnect(reason:)`` or ``PostgresError/cancelled(statement:)``.
    static func connect(_ options: Options) async throws(PostgresError) -> Session {
        let session = try Session(options: options)
        let interruption = Interruption(waking: session.wakeUp)
        try await withTaskCancellationHandler {
            await session.connect(interruption)
        } onCancel: {
            interruption.request()
        }.get()
        return session
    }

    isolated deinit {
        connection = nil
        thread.stop()
    }

    /// Whether nothing has come since the last exchange: a server that ends always says so, or closes the socket.
    ///
    /// Only the session's borrower may ask, since nobody else closes the socket then.
    nonisolated var isQuiet: Bool {
        let socket = socket.load(ordering: .acquiring)
        return socket >= 0 && !WakeUp.isReady(socket, for: .readable)
    }

    /// Takes in what has come between exchanges, and tells whether the connection still is usable.
    func isAlive() -> Bool {
        guard let connection else { return false }
        while WakeUp.isReady(connection.socket, for: .readable) {
            guard connection.consumeInput(), connection.isUsable else {
                close()
                return false
            }
        }
        return true
    }

    /// Does one piece of work for a borrower and tells its lease how it went.
    /// - Parameters:
    ///   - work: what to do.
    ///   - lease: the borrower's; may put BEGIN in front, or refuse.
    ///   - timeLimit: how long it may take, nil for any time.
    ///   - interruption: ends it early; nothing is sent when it was requested before.
    /// - Returns: the rows of each statement, or the first error.
    func run(
        _ work: Work,
        for lease: Lease,
        timeLimit: Duration?,
        interruption: Interruption
    ) -> Result<[PostgresRows], PostgresError> {
        guard !interruption.isRequested else { return .failure(.cancelled(statement: nil)) }
        guard let connection else {
            return .failure(.connectionLost(statement: nil, reason: "the connection has been closed"))
        }
        let begins: Bool
        switch lease.with({ $0.exchangeStarts() }) {
        case .refuse: return .failure(.closed)
        case .behindBegin: begins = true
        case .plain: begins = false
        }
        var exchange = Exchange(
            on: connection,
            statement: work.name,
            timeLimit: timeLimit,
            gracePeriod: options.cancelTimeout,
            interruption: interruption,
            wakeUp: wakeUp
        )
        var result: Result<[PostgresRows], PostgresError>
        var commit: LeaseMachine.Commit?
        do throws(PostgresError) {
            let done = try perform(work, beginning: begins, on: &exchange)
            result = .success(done.rows)
            commit = done.commit
        } catch {
            result = .failure(error)
        }
        var standing = LeaseMachine.Standing(connection)
        if !exchange.settle() || result.leavesNothingToUse { standing = .broken }
        if standing == .broken { close() }
        let error: PostgresError? = if case .failure(let error) = result { error } else { nil }
        lease.with { [standing, commit] in $0.exchangeEnded(standing: standing, error: error, commit: commit) }
        return result
    }

    private func perform(
        _ work: Work,
        beginning: Bool,
        on exchange: inout Exchange
    ) throws(PostgresError) -> (rows: [PostgresRows], commit: LeaseMachine.Commit?) {
        switch work {
        case .pipeline(let queries, let committing):
            let framed = (beginning ? [.begin] : []) + queries + (committing ? [.commit] : [])
            let rows = try pipeline(framed, on: &exchange)
            let commit = committing ? rows.last.map { LeaseMachine.Commit(tag: $0.commandTag) } : nil
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

    private func connect(_ interruption: Interruption) -> Result<Void, PostgresError> {
        do throws(PostgresError) {
            connection = try connected(interruption)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func connected(_ interruption: Interruption) throws(PostgresError) -> ConnectionHandle {
        try options.target.validate()
        let deadline = ContinuousClock.now + options.connectTimeout
        let connection = try ConnectionHandle(connectingTo: options.target)
        // libpq's manual wants the first wait to be for room to send, before the first PQconnectPoll.
        var awaited = Readiness.writable
        while true {
            guard connection.socket >= 0 else { throw .cannotConnect(reason: connection.errorMessage) }
            while !WakeUp.isReady(connection.socket, for: awaited) {
                guard !interruption.isRequested else { throw .cancelled(statement: nil) }
                guard ContinuousClock.now < deadline else {
                    throw .cannotConnect(reason: "no answer within \(options.connectTimeout)")
                }
                wakeUp.wait(for: awaited, on: connection.socket, until: deadline)
            }
            switch connection.proceedConnecting() {
            case .waiting(let readiness): awaited = readiness
            case .failed: throw .cannotConnect(reason: connection.errorMessage)
            case .connected:
                guard connection.setNonBlocking() else { throw .cannotConnect(reason: connection.errorMessage) }
                socket.store(connection.socket, ordering: .releasing)
                return connection
            }
        }
    }

    private func close() {
        socket.store(WakeUp.noSocket, ordering: .releasing)
        connection = nil
        prepared = [:]
    }
}

extension Session.Work {
    /// What errors call it before a statement of its own is reached.
    fileprivate var name: String {
        switch self {
        case .pipeline(let queries, _): queries.first?.statement.name ?? PostgresQuery.commit.statement.name
        case .copy(let statement, _): statement.name
        case .script: "script"
        }
    }
}

extension LeaseMachine.Commit {
    /// What the command tag says that the server answers COMMIT with: COMMIT, or ROLLBACK (PostgreSQL's manual, COMMIT).
    fileprivate init(tag: String) {
        self = tag == "ROLLBACK" ? .rolledBack : .committed
    }
}

extension LeaseMachine.Standing {
    fileprivate init(_ connection: ConnectionHandle) {
        guard connection.isUsable else {
            self = .broken
            return
        }
        switch connection.transactionStatus {
        case PQTRANS_IDLE: self = .idle
        case PQTRANS_INTRANS: self = .inTransaction
        case PQTRANS_INERROR: self = .inFailedTransaction
        // In the middle of a statement, or unknown: nobody can go on from there.
        default: self = .broken
        }
    }
}

extension Result where Failure == PostgresError {
    /// Whether the error says that the connection, or what is prepared on it, cannot be used any more.
    fileprivate var leavesNothingToUse: Bool {
        guard case .failure(.server(let error)) = self else { return false }
        // The schema has changed under a prepared statement, or someone has discarded it. A new connection
        // prepares everything anew; 0A000 has other reasons too, which are programming errors and rare.
        return error.state == .featureNotSupported || error.state == .invalidStatementName
    }
}
