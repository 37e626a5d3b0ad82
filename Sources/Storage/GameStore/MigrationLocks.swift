import Encodings
import PostgresClient

/// For how long migrations wait for locks.
///
/// Requests that come later wait behind a migration that waits for a lock, as of a long transaction. So each wait is
/// short; then the requests have their turn, and the migration is tried again.
public struct MigrationPatience: Sendable {
    /// The time limit of each wait for a lock.
    public var lockTimeout = Duration.seconds(2)
    /// The time between two attempts.
    public var pause = Duration.seconds(5)
    /// The maximum number of attempts for each migration: those by default take seven minutes.
    public var attempts = 60
    /// Waits for a time.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Creates the waits of a running service.
    public init() {}
}

/// An attempt of a migration that did not get a lock in time, and changed nothing.
public struct MigrationDelay: Sendable, Hashable, CustomStringConvertible {
    /// The name of the migration.
    public let migration: String
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The sessions that may hold the lock, the oldest transaction first.
    ///
    /// Each has its process and the tables that it has locked. Those on other machines of a cluster are missing.
    public let blockers: [String]

    /// A description in one line.
    public var description: String {
        let sessions = blockers.isEmpty ? "no session that this role can see" : blockers.joined(separator: ", ")
        return "\(migration) did not get a lock on a table at attempt \(attempt); old transactions: \(sessions)"
    }
}

extension GameStore {
    /// Runs the script of a migration, again and again until it gets its locks.
    /// - Parameters:
    ///   - migration: the migration.
    ///   - connection: the connection, in a transaction.
    ///   - patience: the number and length of the waits.
    ///   - onDelay: called after each attempt that another one follows.
    /// - Throws: ``MigrationError/locked(_:)``; `PostgresError`; the error of `sleep`.
    func run(
        _ migration: Migration,
        on connection: PostgresConnection,
        _ patience: MigrationPatience,
        _ onDelay: (MigrationDelay) -> Void
    ) async throws {
        for attempt in 1...patience.attempts {
            if try await hasRun(migration, on: connection, waitingAtMost: patience.lockTimeout) { return }
            let rows = try await connection.query(
                PostgresQuery(MigrationLockStatements.blockers, patience.lockTimeout.wholeMicroseconds)
            )
            let delay = MigrationDelay(
                migration: migration.name,
                attempt: attempt,
                blockers: try rows.map(MigrationLockStatements.decode)
            )
            guard attempt < patience.attempts else { throw MigrationError.locked(delay) }
            onDelay(delay)
            try await patience.sleep(patience.pause)
        }
    }

    /// - Returns: false if a wait for a lock was too long, and nothing has changed.
    private func hasRun(
        _ migration: Migration,
        on connection: PostgresConnection,
        waitingAtMost limit: Duration
    ) async throws -> Bool {
        // What the transaction did before stays, as the lock that lets other nodes wait for this one. SET takes no
        // parameters.
        try await connection.script(
            "SAVEPOINT migration; SET LOCAL lock_timeout = \(limit.wholeMicroseconds / 1_000)"
        )
        do {
            try await connection.script(migration.sql)
            return true
        } catch {
            guard case .server(let rejection) = error, rejection.state == .lockNotAvailable else { throw error }
            try await connection.script("ROLLBACK TO SAVEPOINT migration")
            return false
        }
    }
}

enum MigrationLockStatements {
    /// Finds other sessions that hold locks on tables, in transactions older than a number of microseconds.
    ///
    /// A role without `pg_read_all_stats` does not see the times of other roles' sessions.
    static let blockers = Statement(
        "migration.blockers",
        """
        SELECT a.pid, coalesce(nullif(a.application_name, ''), a.usename::text, ''),
            coalesce(extract(epoch FROM clock_timestamp() - a.xact_start)::bigint, 0),
            string_agg(DISTINCT c.relname::text, ', ')
        FROM pg_locks AS l
        JOIN pg_class AS c ON c.oid = l.relation AND c.relkind IN ('r', 'p')
        JOIN pg_stat_activity AS a ON a.pid = l.pid AND a.datname = current_database()
        WHERE l.granted AND l.pid <> pg_backend_pid()
            AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'schema_migrations'::regclass)
            AND coalesce(a.xact_start < clock_timestamp() - $1 * interval '1 microsecond', true)
        GROUP BY a.pid, a.application_name, a.usename, a.xact_start
        ORDER BY a.xact_start, a.pid
        LIMIT 5
        """
    )

    static func decode(_ row: PostgresRow) throws -> String {
        let (pid, name, seconds, tables) = try row.decode(Int32.self, String.self, Int64.self, String.self)
        return "process \(pid) (\(name), for \(seconds) s, with \(tables))"
    }
}
