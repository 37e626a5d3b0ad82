public import Logging
public import ServiceLifecycle
import Synchronization

/// A pool of connections to one database.
///
/// The pool is ready immediately and opens connections on first use. Before it sends anything on an idle connection, it
/// replaces the connection if it is broken, for example because the server restarted. It repeats no statement, except
/// those of ``read(_:)``. ``run()`` checks idle connections and closes the pool when it ends. Without ``run()``,
/// connections are closed with the last reference to the pool.
public final class PostgresPool: Service {
    private typealias Machine = ConnectionPoolMachine<PostgresSession>
    private typealias Call = OneShot<Result<Machine.Slot, PostgresError>>

    private struct State {
        var machine: Machine
        var calls: [Machine.Ticket: Call] = [:]
    }

    let configuration: Configuration
    private let options: PostgresSession.Options
    private let logger: Logger
    private let state: Mutex<State>
    let reads: Mutex<ReadState>
    /// A stream that finishes when the pool is closed and all connections have been returned.
    private let drained: AsyncStream<Never>
    private let drainedContinuation: AsyncStream<Never>.Continuation
    private let standIn: (any PostgresStandIn)?

    /// Creates a pool that connects on first use.
    public convenience init(configuration: Configuration, logger: Logger) {
        self.init(configuration: configuration, standIn: nil, logger: logger)
    }

    /// Creates a pool whose statements are executed by a stand-in instead of a server.
    ///
    /// Does not support ``read(_:)``.
    package convenience init(standIn: any PostgresStandIn, logger: Logger) {
        self.init(configuration: Configuration(uri: ""), standIn: standIn, logger: logger)
    }

    private init(configuration: Configuration, standIn: (any PostgresStandIn)?, logger: Logger) {
        self.configuration = configuration
        self.standIn = standIn
        self.logger = logger
        options = PostgresSession.Options(
            target: ConnectionTarget(uri: configuration.uri, applicationName: configuration.applicationName),
            connectTimeout: configuration.connectTimeout,
            cancelTimeout: configuration.cancelTimeout,
            preparesStatements: configuration.preparesStatements
        )
        state = Mutex(State(machine: Machine(limit: configuration.maximumConnections)))
        reads = Mutex(
            ReadState(
                queue: Reads(
                    senderLimit: min(configuration.maxConcurrentReads, configuration.maximumConnections),
                    senderThreshold: Configuration.readSenderThreshold,
                    sizeLimit: Configuration.maxReadBatchSize
                )
            )
        )
        (drained, drainedContinuation) = AsyncStream.makeStream(of: Never.self)
    }

    /// The pool's current use of connections.
    public var statistics: PostgresPoolStatistics { state.withLock { $0.machine.statistics } }

    /// Lends a connection to a closure.
    ///
    /// A transaction that the closure begins and leaves open is rolled back. Settings changed by SET stay in effect for
    /// later borrowers, so use SET LOCAL in a transaction.
    /// - Throws: the closure's error; ``PostgresError`` if no connection is available.
    public func withConnection<Result: Sendable>(
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withLease(isTransaction: false, body)
    }

    /// Runs a closure in a transaction.
    ///
    /// BEGIN is sent with the closure's first statement, in the same round trip. When the closure returns, the
    /// transaction is committed, unless the closure's last pipeline has committed it
    /// (``PostgresConnection/pipeline(_:committing:)``). When the closure throws, including on task cancellation, the
    /// transaction is rolled back. A connection whose ROLLBACK fails is closed and never lent again.
    /// - Throws: the closure's error; otherwise the ``PostgresError`` of COMMIT, for example of a deferred constraint,
    ///   or the first error of a failed transaction whose closure ignored it. After
    ///   ``PostgresError/connectionLost(statement:reason:)`` from COMMIT it is unknown whether the transaction took
    ///   effect.
    public func withTransaction<Result: Sendable>(
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await withLease(isTransaction: true, body)
    }

    /// Runs one statement on any connection, in a transaction of its own.
    public func query(_ query: PostgresQuery) async throws -> PostgresRows {
        try await withLease(isTransaction: false) { try await $0.query(query) }
    }

    /// Checks idle connections until cancellation or graceful shutdown, then closes the pool.
    ///
    /// After a graceful shutdown it returns when every connection has been returned; callers still waiting for a
    /// connection are refused. After cancellation it does not wait.
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
        let lease = ConnectionLease(isTransaction: isTransaction)
        defer { release(lease.with { $0.status } == .idle ? session : nil) }
        return try await PostgresConnection(
            link: .server(LeasedSession(session: session, lease: lease, timeLimit: configuration.statementTimeout))
        ).lend(to: body)
    }
}

// MARK: Borrowing

extension PostgresPool {
    /// Borrows a connection: an idle one that is not known to be broken, otherwise a new one.
    func borrow() async throws(PostgresError) -> PostgresSession {
        switch try await slot() {
        case .idle(let session):
            if session.hasNoPendingInput { return session }
            if await session.isAlive() { return session }
            logger.info("An idle connection to PostgreSQL broke; reconnecting")
        case .empty:
            break
        }
        do throws(PostgresError) {
            return try await PostgresSession.connect(options)
        } catch {
            release(nil)
            throw error
        }
    }

    /// Acquires a slot, waiting in the queue if necessary.
    private func slot() async throws(PostgresError) -> Machine.Slot {
        let call = Call()
        let action = state.withLock { state in
            let action = state.machine.request()
            if case .wait(let ticket) = action { state.calls[ticket] = call }
            return action
        }
        switch action {
        case .take(let slot): return slot
        case .refuse: throw .closed
        case .wait(let ticket): return try await wait(for: call, ticket).get()
        }
    }

    /// Waits until the ticket is called, the wait limit has passed, or the task is cancelled.
    private func wait(for call: Call, _ ticket: Machine.Ticket) async -> Result<Machine.Slot, PostgresError> {
        let limit = configuration.waitLimit
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await Task.sleep(for: limit)
                } catch {
                    return  // the ticket was called, or the task was cancelled
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

    /// Returns a slot, with its connection if the next borrower can use it.
    func release(_ session: PostgresSession?) {
        let (action, call) = state.withLock { state in
            let action = state.machine.release(session, at: .now)
            if case .call(let ticket, _) = action { return (action, state.calls.removeValue(forKey: ticket)) }
            return (action, nil)
        }
        switch action {
        case .nothing: return
        case .call(_, let slot): call?.fulfil(.success(slot))
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

// MARK: Checking idle connections

extension PostgresPool {
    private static let ping = PostgresQuery(Statement("pool.ping", "SELECT 1"))
    /// The time limit for a ping.
    private static let pingTimeLimit: Duration = .seconds(5)

    /// Pings connections that have been idle for a while.
    ///
    /// Pings keep firewalls from dropping the connections, and find those whose peer has vanished.
    private func checkIdleConnections() async {
        let sessions = state.withLock { $0.machine.takeIdle(since: .now - configuration.idleCheckInterval) }
        await withDiscardingTaskGroup { group in
            for session in sessions {
                group.addTask { await self.check(session) }
            }
        }
    }

    private func check(_ session: PostgresSession) async {
        let result = await session.run(
            .pipeline([Self.ping], committing: false),
            for: ConnectionLease(isTransaction: false),
            timeLimit: Self.pingTimeLimit,
            cancellation: CancellationFlag(waking: session.poller)
        )
        switch result {
        case .success:
            release(session)
        case .failure(let error):
            logger.warning("An idle connection to PostgreSQL was lost", metadata: ["error": "\(error)"])
            release(nil)
        }
    }
}
