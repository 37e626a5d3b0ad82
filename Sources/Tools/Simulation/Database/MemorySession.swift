import PostgresClient

/// The connections of one host to a ``MemoryDatabase``.
struct MemoryConnector: PostgresStandIn {
    let database: WorldBound<MemoryDatabase>
    let host: SimulatedHost

    func session(isTransaction: Bool) async throws(PostgresError) -> any PostgresStandInSession {
        WorldBound(try database.value.open(from: host, isTransaction: isTransaction))
    }
}

/// One borrowed connection to a ``MemoryDatabase``, and the transaction on it.
final class MemorySession {
    /// The statements of one round trip.
    struct Request: Sendable {
        let queries: [PostgresQuery]
        let isCommitting: Bool

        /// The name of the request in the trace and in errors.
        var name: String {
            let names = queries.map(\.statement.name) + (isCommitting ? ["commit"] : [])
            return names.joined(separator: ", ")
        }

        /// Whether a dispatcher renews its presence.
        var isRenewal: Bool { queries.contains { $0.statement.name == "dispatcher.renew" } }
    }

    let number: Int
    let host: SimulatedHost
    let isTransaction: Bool
    private let database: MemoryDatabase
    private var continuation: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>?

    /// The start of the transaction, in microseconds since 1970.
    var startedAt: Int64?
    /// The changes to apply at commit.
    var changes: [(inout MemoryTables) -> Void] = []
    /// The results of the current request.
    var results: [PostgresRows] = []
    /// The locks that the transaction holds, in the order of acquisition.
    var locks: [RowLock] = []
    /// The longest wait for a lock; nil for no limit.
    var lockTimeout: Duration?
    /// The wait of the current statement for the row of a shard: since when, and the row's clock then.
    var wait: (shard: Int16, since: Int64, clock: Int64?)?
    /// Whether the transaction waits for a lock.
    var isWaiting = false
    /// Whether the client's process is gone.
    var isOrphan = false
    /// Whether the server has closed the session.
    var isEnded = false
    private var isCommitted = false

    init(number: Int, of database: MemoryDatabase, host: SimulatedHost, isTransaction: Bool) {
        self.number = number
        self.database = database
        self.host = host
        self.isTransaction = isTransaction
    }

    /// Whether a request is in flight.
    var isBusy: Bool { continuation != nil }

    func run(_ queries: [PostgresQuery], committing: Bool) async throws(PostgresError) -> [PostgresRows] {
        guard !queries.isEmpty || committing else { return [] }
        let request = Request(queries: queries, isCommitting: committing)
        guard !isEnded else {
            throw .connectionLost(statement: request.name, reason: "the connection was already broken")
        }
        if committing { isCommitted = true }
        results = []
        return try await withCheckedContinuation { continuation in
            self.continuation = continuation
            database.receive(request, of: self)
        }.get()
    }

    func commit() async throws(PostgresError) {
        // The server may have crashed, and rolled the transaction back, while the client's process was frozen.
        if isTransaction, !isCommitted, startedAt != nil || isEnded { _ = try await run([], committing: true) }
        database.end(self)
    }

    func rollBack() {
        // Takes no time: nothing in a run depends on when the server rolls back.
        database.end(self)
    }

    /// Completes the request in flight with its results.
    func succeed() {
        continuation.take()?.resume(returning: .success(results))
    }

    /// Completes the request in flight with an error.
    func fail(_ error: PostgresError) {
        continuation.take()?.resume(returning: .failure(error))
    }
}

extension WorldBound: PostgresStandInSession where Value == MemorySession {
    func run(_ queries: [PostgresQuery], committing: Bool) async throws(PostgresError) -> [PostgresRows] {
        try await value.run(queries, committing: committing)
    }

    func commit() async throws(PostgresError) { try await value.commit() }
    func rollBack() async { value.rollBack() }
}
