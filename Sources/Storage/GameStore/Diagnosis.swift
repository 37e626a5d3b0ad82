public import Encodings
public import GameCore
public import GameLog
import PostgresClient

// Queries about the database and the state of the game, for diagnosis. Each method runs a separate query, so that a
// failing query does not prevent the others.

/// The oldest change that is still pending for an activity.
public struct UnsentChange: Sendable, Hashable {
    /// The shard of the activity.
    public let shard: Shard
    /// The moment of the change.
    public let at: Timestamp

    /// Creates a change.
    public init(shard: Shard, at moment: Timestamp) {
        self.shard = shard
        self.at = moment
    }
}

/// The number of open connections that count against one of PostgreSQL's connection limits.
public struct ConnectionUsage: Sendable, Hashable {
    /// The scope of a limit.
    public enum Scope: Sendable, Hashable {
        /// The server's `max_connections`, without the connections reserved for other roles.
        case server(reserved: Int)
        /// The `CONNECTION LIMIT` of the current role.
        case role(String)
        /// The `CONNECTION LIMIT` of the database.
        case database(String)
    }

    /// The scope of the limit.
    public let scope: Scope
    /// The number of connections that count against the limit.
    public let open: Int
    /// The maximum number of connections.
    public let limit: Int

    /// Creates a connection usage.
    public init(_ scope: Scope, open: Int, limit: Int) {
        self.scope = scope
        self.open = open
        self.limit = limit
    }

    /// The fraction of the limit in use; 1 is all of it.
    public var share: Double { Double(open) / Double(max(1, limit)) }
}

/// A database session that obstructs other sessions.
public struct ObstructiveSession: Sendable, Hashable {
    /// The kind of obstruction.
    public enum Obstruction: Sendable, Hashable {
        /// The session holds locks that sessions of the game wait for: their number, and the longest wait.
        case locks(waiting: Int, longest: Duration)
        /// The session's transaction has held a snapshot for some time, so that vacuum cannot remove row versions it
        /// might see.
        case snapshot(open: Duration)
    }

    /// The process ID of the server process.
    public let process: Int
    /// The role; nil if the server does not report it.
    public let user: String?
    /// The application name, such as `psql`; empty if the server does not report it.
    public let application: String
    /// The state, such as `active` or `idle in transaction`; nil if the current role may not see it.
    public let state: String?
    /// The kind of obstruction.
    public let obstruction: Obstruction

    /// Creates a session.
    public init(process: Int, user: String?, application: String, state: String?, obstruction: Obstruction) {
        self.process = process
        self.user = user
        self.application = application
        self.state = state
        self.obstruction = obstruction
    }

    /// Decodes a session that holds locks: process, role, application, state, the number of sessions that wait for it, and
    /// the longest wait in microseconds.
    init<Process: PostgresDecodable & BinaryInteger>(holdingLocks row: PostgresRow, process: Process.Type) throws {
        let (process, user, application, state, waiting, longest) = try row.decode(
            Process.self,
            String?.self,
            String.self,
            String?.self,
            Int64.self,
            Int64.self
        )
        self.init(
            process: Int(process),
            user: user,
            application: application,
            state: state,
            obstruction: .locks(waiting: Int(waiting), longest: .microseconds(longest))
        )
    }
}

extension GameStore {
    /// Returns the sessions that hold locks which sessions of this role wait for, most waiting sessions first.
    ///
    /// In a chain of waiting sessions, returns only the session at its end.
    /// - Parameters:
    ///   - duration: the minimum wait. Short waits are normal.
    ///   - limit: the maximum number of sessions.
    /// - Returns: the sessions, each with the number of waiting sessions and the longest wait.
    /// - Throws: `PostgresError`.
    public func lockBlockers(waitingLongerThan duration: Duration, limit: Int) async throws -> [ObstructiveSession] {
        let rows = try await pool.query(
            PostgresQuery(DiagnosisStatements.blockers, duration.wholeMicroseconds, Int64(limit))
        )
        return try rows.map { try ObstructiveSession(holdingLocks: $0, process: Int32.self) }
    }

    /// Returns the sessions whose transaction has held a snapshot for longer than a duration, oldest first.
    ///
    /// Includes sessions of other roles only if this role may see them (`pg_read_all_stats`).
    public func oldSnapshots(olderThan duration: Duration, limit: Int) async throws -> [ObstructiveSession] {
        let rows = try await pool.query(
            PostgresQuery(DiagnosisStatements.oldSnapshots, duration.wholeMicroseconds, Int64(limit))
        )
        return try rows.map { row in
            let (process, user, application, state, open) = try row.decode(
                Int32.self,
                String?.self,
                String.self,
                String?.self,
                Int64.self
            )
            return ObstructiveSession(
                process: Int(process),
                user: user,
                application: application,
                state: state,
                obstruction: .snapshot(open: .microseconds(open))
            )
        }
    }

    /// Returns the database's clock.
    public func clock() async throws -> Timestamp {
        Timestamp(try await one(DiagnosisStatements.clock).decode(PostgresTimestamp.self))
    }

    /// Returns the time by the clock that decides, for the age of what was stored.
    public func now() async throws -> Timestamp {
        if let now = clock.now { now() } else { try await clock() }
    }

    /// Returns PostgreSQL's version, such as `15.14`.
    public func serverVersion() async throws -> String {
        try await one(DiagnosisStatements.version).decode(String.self)
    }

    /// Returns the connection usage against each limit that applies to this role, the server's first.
    public func connectionUsage() async throws -> [ConnectionUsage] {
        let server = try await one(DiagnosisStatements.serverConnections).decode(Int64.self, Int32.self, Int32.self)
        let (open, limit, reserved) = server
        var uses = [
            ConnectionUsage(.server(reserved: Int(reserved)), open: Int(open), limit: Int(limit - reserved))
        ]
        let own = try await one(DiagnosisStatements.ownConnections)
            .decode(String.self, Int64.self, Int32.self, String.self, Int64.self, Int32.self)
        let (role, openOfRole, limitOfRole, database, openOfDatabase, limitOfDatabase) = own
        // PostgreSQL stores -1 for no limit, and applies neither limit to superusers.
        if limitOfRole >= 0 {
            uses.append(ConnectionUsage(.role(role), open: Int(openOfRole), limit: Int(limitOfRole)))
        }
        if limitOfDatabase >= 0 {
            uses.append(ConnectionUsage(.database(database), open: Int(openOfDatabase), limit: Int(limitOfDatabase)))
        }
        return uses
    }

    /// Returns the number of leased shards, of dispatchers that hold leases, and of shards.
    public func leaseCount() async throws -> (held: Int, holders: Int, shards: Int) {
        let row = try await one(DiagnosisStatements.leases)
        let (held, holders, shards) = try row.decode(Int64.self, Int64.self, Int64.self)
        return (Int(held), Int(holders), Int(shards))
    }

    /// Returns what the database has lost in the last day, at least, as readers have found it: the number of shards, the
    /// log entries, and the longest time of a shard's games; nil if they have found nothing.
    public func lostCommits() async throws -> (shards: Int, lost: LostCommits)? {
        let (shards, entries, time) = try await one(DiagnosisStatements.lostCommits)
            .decode(Int64.self, Int64.self, Int64.self)
        guard shards > 0 else { return nil }
        return (Int(shards), LostCommits(entries: entries, time: .microseconds(time)))
    }

    /// Returns the oldest change that is pending for an activity; nil if there is none.
    public func oldestUnsent() async throws -> UnsentChange? {
        try await pool.query(PostgresQuery(DiagnosisStatements.unsent)).first.map { row in
            let (shard, at) = try row.decode(Int16.self, PostgresTimestamp.self)
            return UnsentChange(shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)), at: Timestamp(at))
        }
    }

    /// Returns the number of live activities by environment.
    ///
    /// Reads one index entry for each.
    public func liveActivities() async throws -> [PushEnvironment: Int] {
        let live = try await pool.query(PostgresQuery(DiagnosisStatements.liveActivities)).map { row in
            try row.decode(PushEnvironment.self, Int64.self)
        }
        return Dictionary(live.map { ($0, Int($1)) }, uniquingKeysWith: +)
    }

    private func one(_ statement: Statement) async throws -> PostgresRow {
        guard let row = try await pool.query(PostgresQuery(statement)).first else {
            throw StoreError.lostRows(statement: statement.name, expected: 1, changed: 0)
        }
        return row
    }
}

enum DiagnosisStatements {
    static let clock = Statement("diagnosis.clock", "SELECT clock_timestamp()")

    static let version = Statement("diagnosis.version", "SELECT current_setting('server_version')")

    /// Counts client sessions.
    ///
    /// Every role sees that a session exists, if not its details; PostgreSQL's own workers have no user.
    ///
    /// `reserved_connections` and the role whose members may use them exist since PostgreSQL 16.
    static let serverConnections = Statement(
        "diagnosis.serverConnections",
        """
        SELECT (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL),
            current_setting('max_connections')::integer,
            CASE WHEN current_setting('is_superuser')::boolean THEN 0
            ELSE current_setting('superuser_reserved_connections')::integer
                + CASE
                    WHEN EXISTS (
                        SELECT FROM pg_roles
                        WHERE rolname = 'pg_use_reserved_connections' AND pg_has_role(oid, 'USAGE')
                    ) THEN 0
                    ELSE coalesce(current_setting('reserved_connections', true)::integer, 0)
                END
            END
        """
    )

    /// Counts sessions by `session_user`, to which the limits apply.
    static let ownConnections = Statement(
        "diagnosis.ownConnections",
        """
        SELECT r.rolname::text,
            (SELECT count(*) FROM pg_stat_activity AS a WHERE a.usesysid = r.oid),
            CASE WHEN r.rolsuper THEN -1 ELSE r.rolconnlimit END,
            d.datname::text,
            (SELECT count(*) FROM pg_stat_activity AS a WHERE a.datid = d.oid AND a.usesysid IS NOT NULL),
            CASE WHEN r.rolsuper THEN -1 ELSE d.datconnlimit END
        FROM pg_roles AS r, pg_database AS d
        WHERE r.rolname = session_user AND d.datname = current_database()
        """
    )

    /// Finds the sessions at the end of each chain of lock waits.
    ///
    /// A session waiting for a row waits for the waiters before it; only the first waits for the lock's holder.
    /// `query_start` is the start of the waiting statement, and approximates the start of its wait, because the
    /// statements of the game are short.
    static let blockers = Statement(
        "diagnosis.blockers",
        """
        WITH RECURSIVE waits AS (
            SELECT a.pid, a.query_start, b.pid AS blocker
            FROM pg_stat_activity AS a
            CROSS JOIN LATERAL unnest(pg_blocking_pids(a.pid)) AS b (pid)
            WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'
        ), chains AS (
            SELECT pid, query_start, blocker FROM waits
            UNION
            SELECT c.pid, c.query_start, w.blocker FROM chains AS c JOIN waits AS w ON w.pid = c.blocker
        )
        SELECT s.pid, s.usename::text, coalesce(s.application_name, ''), s.state, count(*),
            (extract(epoch FROM max(clock_timestamp() - c.query_start)) * 1000000)::bigint
        FROM chains AS c
        JOIN pg_stat_activity AS s ON s.pid = c.blocker
        WHERE c.query_start < clock_timestamp() - $1 * interval '1 microsecond'
            AND NOT EXISTS (SELECT FROM waits AS w WHERE w.pid = s.pid)
        GROUP BY s.pid, s.usename, s.application_name, s.state
        ORDER BY count(*) DESC, s.pid
        LIMIT $2
        """
    )

    /// A condition on `pg_stat_activity` for other client sessions whose transaction holds back vacuum.
    ///
    /// A session between two statements has no snapshot, but holds back vacuum by its transaction ID. Vacuum's own
    /// sessions do not count.
    static let keepsSnapshot = """
        datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
        """

    /// Lists sessions whose transaction holds back vacuum, oldest first.
    static let oldSnapshots = Statement(
        "diagnosis.oldSnapshots",
        """
        SELECT pid, usename::text, coalesce(application_name, ''), state,
            (extract(epoch FROM clock_timestamp() - xact_start) * 1000000)::bigint
        FROM pg_stat_activity
        WHERE \(keepsSnapshot) AND xact_start < clock_timestamp() - $1 * interval '1 microsecond'
        ORDER BY xact_start, pid
        LIMIT $2
        """
    )

    /// Counts leases over the 256 rows of `leases`.
    static let leases = Statement(
        "diagnosis.leases",
        """
        SELECT count(*) FILTER (WHERE \(LeaseStatements.isHeld)),
            count(DISTINCT holder) FILTER (WHERE \(LeaseStatements.isHeld)),
            count(*)
        FROM \(LeaseStatements.withHolders)
        """
    )

    /// Adds up what the database has lost in the last day, over the 256 rows of `leases`.
    static let lostCommits = Statement(
        "diagnosis.lostCommits",
        """
        SELECT count(*), coalesce(sum(lost_entries), 0)::bigint, coalesce(max(lost_time), 0)
        FROM leases
        WHERE lost_at > now() - interval '1 day'
        """
    )

    /// Reads the oldest pending change of all shards, over the 256 rows of `leases`.
    static let unsent = Statement(
        "diagnosis.unsent",
        """
        SELECT p.shard, p.since
        FROM (SELECT l.shard, \(LeaseStatements.pendingSince) AS since FROM \(LeaseStatements.withHolders)) AS p
        WHERE p.since IS NOT NULL
        ORDER BY p.since, p.shard
        LIMIT 1
        """
    )

    /// Counts live activities along their partial index.
    static let liveActivities = Statement(
        "diagnosis.liveActivities",
        "SELECT environment, count(*) FROM activities WHERE state = 'live' GROUP BY environment ORDER BY environment"
    )
}
