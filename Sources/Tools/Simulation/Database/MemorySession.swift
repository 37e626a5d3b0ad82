import PostgresClient

/// The way to a ``MemoryDatabase`` from one place.
struct MemoryDoor: PostgresStandIn {
    let database: MemoryDatabase
    let place: Place

    func session(isTransaction: Bool) async throws(PostgresError) -> any PostgresStandInSession {
        try database.open(from: place, isTransaction: isTransaction)
    }
}

/// One borrowing of a connection to a ``MemoryDatabase``.
///
/// Unchecked but true: like the database it is touched on its world's one thread only.
final class MemorySession: PostgresStandInSession, @unchecked Sendable {
    /// What goes to the server at once.
    struct Request: Sendable {
        let queries: [PostgresQuery]
        let isCommitting: Bool

        /// What the trace and errors call it.
        var name: String {
            let names = queries.map(\.statement.name) + (isCommitting ? ["commit"] : [])
            return names.joined(separator: ", ")
        }
    }

    let number: Int
    let place: Place
    let isTransaction: Bool
    private let database: MemoryDatabase
    private var continuation: CheckedContinuation<Result<[PostgresRows], PostgresError>, Never>?

    var startedAt: Int64?
    var changes: [@Sendable (inout Tables) -> Void] = []
    var results: [PostgresRows] = []
    /// The rows that it has locked, in order.
    var locks: [RowLock] = []
    /// How long it waits for a row that another one has locked; nil for as long as that takes.
    var patience: Duration?
    /// Whether it waits for a row that another one has locked.
    var isWaiting = false
    /// Whether the client is gone.
    var isOrphan = false
    /// Whether the server has closed it.
    var isEnded = false
    private var isCommitted = false

    init(number: Int, of database: MemoryDatabase, place: Place, isTransaction: Bool) {
        self.number = number
        self.database = database
        self.place = place
        self.isTransaction = isTransaction
    }

    /// Whether a request is under way.
    var isBusy: Bool { continuation != nil }

    func run(_ queries: [PostgresQuery], committing: Bool) async throws(PostgresError) -> [PostgresRows] {
        guard !queries.isEmpty || committing else { return [] }
        let request = Request(queries: queries, isCommitting: committing)
        guard !isEnded else {
            throw .connectionLost(statement: request.name, reason: "the connection was broken before")
        }
        if committing { isCommitted = true }
        results = []
        return try await withCheckedContinuation { continuation in
            self.continuation = continuation
            database.take(request, of: self)
        }.get()
    }

    func commit() async throws(PostgresError) {
        if isTransaction, !isCommitted, startedAt != nil { _ = try await run([], committing: true) }
        database.end(self)
    }

    func rollBack() async {
        // Sent without waiting for the answer: nothing here depends on when the server has done it.
        database.end(self)
    }

    func answer() {
        continuation.take()?.resume(returning: .success(results))
    }

    func fail(_ error: PostgresError) {
        continuation.take()?.resume(returning: .failure(error))
    }
}
