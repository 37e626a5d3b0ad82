import PostgresClient
import Synchronization

/// Runs statements on one connection, and records them by transaction and round trip.
///
/// As a stand-in for a server, it leaves all code above the pool unchanged. Only one session may be in use at a time.
final class StatementRecorder: PostgresStandIn {
    private let connection: PostgresConnection
    private let transactions = Mutex<[[[PostgresQuery]]]>([])

    /// Creates a recorder that must not be used after the connection's lease has ended.
    init(on connection: PostgresConnection) { self.connection = connection }

    /// Returns the transactions since the last call; a statement outside a transaction is alone.
    func take() -> [[[PostgresQuery]]] {
        transactions.withLock { transactions in
            defer { transactions = [] }
            return transactions.filter { !$0.isEmpty }
        }
    }

    func session(isTransaction: Bool) async throws(PostgresError) -> any PostgresStandInSession {
        transactions.withLock { $0.append([]) }
        return RecordedSession(isTransaction: isTransaction, recorder: self)
    }

    fileprivate func run(_ roundTrip: [PostgresQuery]) async throws(PostgresError) -> [PostgresRows] {
        transactions.withLock { $0[$0.count - 1].append(roundTrip) }
        return try await connection.pipeline(roundTrip)
    }
}

/// A session of a recorder, which sends BEGIN, COMMIT and ROLLBACK like a session with a server.
private final class RecordedSession: PostgresStandInSession {
    private enum State {
        /// The session has no transaction, or has committed it.
        case plain
        /// BEGIN precedes the next statements.
        case beginPending
        case inTransaction
    }

    private static let begin = PostgresQuery(Statement("begin", "BEGIN"))
    private static let commit = PostgresQuery(Statement("commit", "COMMIT"))
    private static let rollback = PostgresQuery(Statement("rollback", "ROLLBACK"))

    private let recorder: StatementRecorder
    private let state: Mutex<State>

    init(isTransaction: Bool, recorder: StatementRecorder) {
        self.recorder = recorder
        state = Mutex(isTransaction ? .beginPending : .plain)
    }

    private var isInTransaction: Bool { state.withLock { $0 == .inTransaction } }

    func run(_ queries: [PostgresQuery], committing: Bool) async throws(PostgresError) -> [PostgresRows] {
        let begins = state.withLock { state in
            let begins = state == .beginPending
            if state != .plain { state = committing ? .plain : .inTransaction }
            return begins
        }
        let (first, last) = (begins ? [Self.begin] : [], committing ? [Self.commit] : [])
        return Array(try await recorder.run(first + queries + last).dropFirst(first.count).prefix(queries.count))
    }

    func commit() async throws(PostgresError) {
        if isInTransaction { _ = try await run([], committing: true) }
    }

    func rollBack() async {
        // A failure closes the connection, which the recorder's user notices.
        if isInTransaction { _ = try? await recorder.run([Self.rollback]) }
    }
}
