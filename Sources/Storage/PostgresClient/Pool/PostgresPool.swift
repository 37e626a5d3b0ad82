public import Logging
public import ServiceLifecycle
import Synchronization

/// Connections to one database, lent to one borrower at a time.
///
/// Usable as soon as it is made; connections are opened when they are first needed. A connection that broke while it
/// was idle, for example because the server was restarted, is replaced before anything is sent on it; nothing is ever
/// sent twice. ``run()`` looks after idle connections and, at its end, closes the pool; without it, the connections
/// end with the pool's last reference.
public final class PostgresPool: Service {
    private typealias Machine = PoolMachine<Session>
    private typealias Call = OneShot<Result<Machine.Place, PostgresError>>

    private struct State {
        var machine: Machine
        var calls: [Machine.Ticket: Call] = [:]
    }

    let configuration: Configuration
    private let options: Session.Options
    private let logger: Logger
    private let state: Mutex<State>
    let reads: Mutex<ReadState>
    /// Finished when the pool is closed and everything has been returned.
    private let drained: AsyncStream<Never>
    private let drainedContinuation: AsyncStream<Never>.Continuation
    private let standIn: (any PostgresStandIn)?

    /// A pool that connects when it is first used.
    public convenience init(configuration: Configuration, logger: Logger) {
        self.init(configuration: configuration, standIn: nil, logger: logger)
    }

    /// A pool without a server: a stand-in answers every statement, but none of ``read(_:)``.
    package convenience init(standIn: any PostgresStandIn, logger: Logger) {
        self.init(configuration: Configuration(uri: ""), standIn: standIn, logger: logger)
    }

    private init(configuration: Configuration, standIn: (any PostgresStandIn)?, logger: Logger) {
        self.configuration = configuration
        self.standIn = standIn
        self.logger = logger
        options = Session.Options(
            target: ConnectionTarget(uri: configuration.uri, applicationName: configuration.applicationName),
            connectTimeout: configuration.connectTimeout,
            cancelTimeout: configuration.cancelTimeout,
            preparesStatements: configuration.preparesStatements
        )
        state = Mutex(State(machine: Machine(limit: configuration.maximumConnections)))
        reads = Mutex(
            ReadState(
                queue: Reads(
                    senderLimit: min(configuration.readBatches, configuration.maximumConnections),
                    crowd: Configuration.readCrowd,
                    sizeLimit: Configuration.longestReadBatch
                )
            )
        )
        (drained, drainedContinuation) = AsyncStream.makeStream(of: Never.self)
    }

    /// What the pool is doing now.
    public var statistics: PostgresPoolStatistics { state.withLock { $0.machine.statistics } }

    /// Lends a connection to a closure.
    ///
    /// A transaction that the closure begins by itself and leaves open is rolled back; what it changes by SET stays
    /// for later borrowers, so use SET LOCAL in a transaction.
    /// - Throws: what the closure throws; ``PostgresError`` when there is no connection to be had.
    public func withConnection<Result: Sendable>(
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withLease(isTransaction: false, body)
    }

    /// Runs a closure in a transaction.
    ///
    /// BEGIN is sent with the closure's first statement, in the same round trip. When the closure returns, the
    /// transaction is committed, unless it was committed already with its last pipeline
    /// (``PostgresConnection/pipeline(_:committing:)``); when it throws, also because its task was cancelled, the
    /// transaction is rolled back. A connection whose ROLLBACK fails is closed and never lent again.
    /// - Throws: what the closure throws; else the ``PostgresError`` of COMMIT, for example of a deferred
    ///   constraint, or the first error of a transaction whose closure has swallowed it. After
    ///   ``PostgresError/connectionLost(statement:reason:)`` from COMMIT nobody knows whether it took effect.
    public func withTransaction<Result: Sendable>(
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withLease(isTransaction: true, body)
    }

    /// Runs one statement on any connection, in a transaction of its own.
    public func query(_ query: PostgresQuery) async throws -> PostgresRows {
        try await withLease(isTransaction: false) { try await $0.query(query) }
    }

    /// Looks after idle connections until it is cancelled or a graceful shutdown begins, then closes the pool.
    ///
    /// After a graceful shutdown it returns when every connection has been returned; callers that still wait for one
    /// are refused. After a cancellation it does not wait.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await Task.sleep(for: self.configuration.idleCheckInterval)
                } catch {
                    return
                }
                await self.checkIdleConnections()
            }
        }
        close()
        for await _ in drained {}
    }

    private func withLease<Result: Sendable>(
        isTransaction: Bool,
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        if let standIn {
            let session = try await standIn.session(isTransaction: isTransaction)
            return try await PostgresConnection(link: .standIn(session)).lend(to: body)
        }
        let session = try await borrow()
        let lease = Lease(isTransaction: isTransaction)
        defer { giveBack(lease.with { $0.standing } == .idle ? session : nil) }
        return try await PostgresConnection(
            link: .server(ServerLink(session: session, lease: lease, timeLimit: configuration.statementTimeout))
        ).lend(to: body)
    }
}

// MARK: Borrowing

extension PostgresPool {
    /// A connection that works, as far as anyone can tell without using it.
    func borrow() async throws(PostgresError) -> Session {
        switch try await place() {
        case .idle(let session):
            if session.isQuiet { return session }
            if await session.isAlive() { return session }
            logger.info("A connection to PostgreSQL broke while it was idle; connecting anew")
        case .empty:
            break
        }
        do throws(PostgresError) {
            return try await Session.connect(options)
        } catch {
            giveBack(nil)
            throw error
        }
    }

    /// The right to hold a connection; waits in the queue if need be.
    private func place() async throws(PostgresError) -> Machine.Place {
        let call = Call()
        let action = state.withLock { state in
            let action = state.machine.request()
            if case .wait(let ticket) = action { state.calls[ticket] = call }
            return action
        }
        switch action {
        case .take(let place): return place
        case .refuse: throw .closed
        case .wait(let ticket): return try await wait(for: call, ticket).get()
        }
    }

    /// Waits for the ticket's call, but no longer than the wait limit and the task allow.
    private func wait(for call: Call, _ ticket: Machine.Ticket) async -> Result<Machine.Place, PostgresError> {
        let limit = configuration.waitLimit
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await Task.sleep(for: limit)
                } catch {
                    return  // the call came, or the task was cancelled
                }
                self.abandon(ticket, .poolExhausted(waited: limit))
            }
            defer { group.cancelAll() }
            return await withTaskCancellationHandler {
                await call.value
            } onCancel: {
                abandon(ticket, .cancelled(statement: nil))
            }
        }
    }

    private func abandon(_ ticket: Machine.Ticket, _ error: PostgresError) {
        let call = state.withLock { state in
            state.machine.abandon(ticket) ? state.calls.removeValue(forKey: ticket) : nil
        }
        call?.fulfil(.failure(error))
    }

    /// Returns a place, with its connection if that is fit for the next borrower.
    func giveBack(_ session: Session?) {
        let (action, call) = state.withLock { state in
            let action = state.machine.giveBack(session, at: .now)
            if case .call(let ticket, _) = action { return (action, state.calls.removeValue(forKey: ticket)) }
            return (action, nil)
        }
        switch action {
        case .nothing: return
        case .call(_, let place): call?.fulfil(.success(place))
        case .drained: drainedContinuation.finish()
        }
    }

    private func close() {
        let (calls, isDrained) = state.withLock { state in
            let (refused, isDrained) = state.machine.close()
            return (refused.compactMap { state.calls.removeValue(forKey: $0) }, isDrained)
        }
        for call in calls { call.fulfil(.failure(.closed)) }
        if isDrained { drainedContinuation.finish() }
    }
}

// MARK: Looking after idle connections

extension PostgresPool {
    private static let alive = PostgresQuery(Statement("pool.alive", "SELECT 1"))
    /// How long the server may take to answer when nothing is asked of it.
    private static let aliveTimeLimit: Duration = .seconds(5)

    /// Asks for a sign of life on connections that nobody has used for a while.
    ///
    /// Keeps firewalls from forgetting them, and finds those whose peer has gone without a word.
    private func checkIdleConnections() async {
        let sessions = state.withLock { $0.machine.takeIdle(since: .now - configuration.idleCheckInterval) }
        await withDiscardingTaskGroup { group in
            for session in sessions {
                group.addTask { await self.check(session) }
            }
        }
    }

    private func check(_ session: Session) async {
        let result = await session.run(
            .pipeline([Self.alive], committing: false),
            for: Lease(isTransaction: false),
            timeLimit: Self.aliveTimeLimit,
            interruption: Interruption(waking: session.wakeUp)
        )
        switch result {
        case .success:
            giveBack(session)
        case .failure(let error):
            logger.warning("An idle connection to PostgreSQL is lost", metadata: ["error": "\(error)"])
            giveBack(nil)
        }
    }
}
