public import Encodings
public import GameCore
import PostgresClient

// What the database tells of itself and of the game's state, for whoever asks what is wrong: each question is one of its
// own, so that what cannot be answered hides nothing else.

/// A change of the game that has not reached all phones, the oldest there is.
public struct UnsentChange: Sendable, Hashable {
    /// In whose log it is.
    public let shard: Shard
    /// When it was recorded.
    public let at: Timestamp

    /// A change in a shard's log.
    public init(shard: Shard, at moment: Timestamp) {
        self.shard = shard
        self.at = moment
    }
}

/// How many connections there are, against one of the limits that PostgreSQL holds them to.
public struct ConnectionUse: Sendable, Hashable {
    /// Whose limit it is.
    public enum Limit: Sendable, Hashable {
        /// The server's `max_connections`, without what it reserves for others than the role that asks.
        case server(reserved: Int)
        /// The `CONNECTION LIMIT` of the role that asks.
        case role(String)
        /// The `CONNECTION LIMIT` of the database.
        case database(String)
    }

    /// Whose limit it is.
    public let limit: Limit
    /// How many connections count against it, whoever has them.
    public let open: Int
    /// How many there may be.
    public let most: Int

    /// Connections against a limit.
    public init(_ limit: Limit, open: Int, most: Int) {
        self.limit = limit
        self.open = open
        self.most = most
    }

    /// Which part of what there may be is in use; 1 is all of it.
    public var share: Double { Double(open) / Double(max(1, most)) }
}

/// A session of the database that is in the way of others.
public struct ObstructiveSession: Sendable, Hashable {
    /// How.
    public enum Obstruction: Sendable, Hashable {
        /// So many sessions of the game wait for its locks, the longest for so long.
        case locks(waiting: Int, longest: Duration)
        /// It has a transaction open for so long, with a snapshot: no version of a row is removed that it might still see.
        case snapshot(open: Duration)
    }

    /// PostgreSQL's number for its process.
    public let process: Int
    /// Whose it is; nil where that is not said.
    public let user: String?
    /// What it calls itself, such as `psql`; empty where that is not said.
    public let application: String
    /// What it does: `active`, `idle in transaction` and so on; nil where the role that asks may not see it.
    public let state: String?
    /// How it is in the way.
    public let obstruction: Obstruction

    /// A session.
    public init(process: Int, user: String?, application: String, state: String?, obstruction: Obstruction) {
        self.process = process
        self.user = user
        self.application = application
        self.state = state
        self.obstruction = obstruction
    }
}

extension GameStore {
    /// The sessions that keep others of this role waiting for their locks, those first that keep the most.
    ///
    /// Of those that wait for each other in a row, the one at whose end nobody is waited for.
    /// - Parameters:
    ///   - duration: what is waited for at least; a moment's wait is everyday life.
    ///   - limit: how many to tell.
    /// - Returns: each with how many wait, and the longest wait.
    /// - Throws: `PostgresError`.
    public func blockers(ofMoreThan duration: Duration, limit: Int) async throws -> [ObstructiveSession] {
        let rows = try await pool.query(
            PostgresQuery(DiagnosisStatements.blockers, duration.wholeMicroseconds, Int64(limit))
        )
        return try rows.map { row in
            let (process, user, application, state, waiting, longest) = try row.decode(
                Int32.self,
                String?.self,
                String.self,
                String?.self,
                Int64.self,
                Int64.self
            )
            return ObstructiveSession(
                process: Int(process),
                user: user,
                application: application,
                state: state,
                obstruction: .locks(waiting: Int(waiting), longest: .microseconds(longest))
            )
        }
    }

    /// The sessions whose transaction has kept a snapshot for longer than that, the oldest first; of other roles only where
    /// this one may see what they do (`pg_read_all_stats`).
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

    /// The database's clock.
    public func clock() async throws -> Timestamp {
        Timestamp(try await one(DiagnosisStatements.clock).decode(PostgresTimestamp.self))
    }

    /// PostgreSQL's version, such as `15.14`.
    public func serverVersion() async throws -> String {
        try await one(DiagnosisStatements.version).decode(String.self)
    }

    /// How many connections there are, against each of the limits that hold for this role: the server's first.
    public func connectionUse() async throws -> [ConnectionUse] {
        let server = try await one(DiagnosisStatements.serverConnections).decode(Int64.self, Int32.self, Int32.self)
        let (open, limit, reserved) = server
        var uses = [
            ConnectionUse(.server(reserved: Int(reserved)), open: Int(open), most: Int(limit - reserved))
        ]
        let own = try await one(DiagnosisStatements.ownConnections)
            .decode(String.self, Int64.self, Int32.self, String.self, Int64.self, Int32.self)
        let (role, openOfRole, limitOfRole, database, openOfDatabase, limitOfDatabase) = own
        // PostgreSQL writes -1 for none, and heeds neither for superusers.
        if limitOfRole >= 0 {
            uses.append(ConnectionUse(.role(role), open: Int(openOfRole), most: Int(limitOfRole)))
        }
        if limitOfDatabase >= 0 {
            uses.append(ConnectionUse(.database(database), open: Int(openOfDatabase), most: Int(limitOfDatabase)))
        }
        return uses
    }

    /// How many shards are leased by how many dispatchers, and how many there are.
    public func leaseCount() async throws -> (held: Int, holders: Int, shards: Int) {
        let row = try await one(DiagnosisStatements.leases)
        let (held, holders, shards) = try row.decode(Int64.self, Int64.self, Int64.self)
        return (Int(held), Int(holders), Int(shards))
    }

    /// The oldest change that some phone has not been told of yet; nil when there is none.
    public func oldestUnsent() async throws -> UnsentChange? {
        try await pool.query(PostgresQuery(DiagnosisStatements.unsent)).first.map { row in
            let (shard, at) = try row.decode(Int16.self, PostgresTimestamp.self)
            return UnsentChange(shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)), at: Timestamp(at))
        }
    }

    /// How many live activities there are, by the environment of their tokens; reads an entry of an index for each.
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

    /// Whoever may not see what others do still sees that they are there; PostgreSQL's own workers have no user.
    ///
    /// `reserved_connections` came with PostgreSQL 16, and with it the role whose members may use them.
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

    /// By the user of the session: that is whom a limit holds for.
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

    /// Who waits for a row waits for whoever waits before, and only the first for whoever has locked it.
    ///
    /// `query_start` is when the statement began that waits; it is nothing but the wait, as statements here go.
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

    /// Which rows of `pg_stat_activity` are other clients in whose transaction vacuum removes nothing that was changed since.
    ///
    /// One that waits between two statements has no snapshot, but the number that it has written under. Nobody heeds vacuum's.
    static let keepsSnapshot = """
        datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
        """

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

    static let leases = Statement(
        "diagnosis.leases",
        """
        SELECT count(*) FILTER (WHERE holder IS NOT NULL AND expires_at >= now()),
            count(DISTINCT holder) FILTER (WHERE expires_at >= now()),
            count(*)
        FROM leases
        """
    )

    /// The entry behind each shard's checkpoint, found by its primary key.
    static let unsent = Statement(
        "diagnosis.unsent",
        """
        SELECT l.shard, e.at
        FROM leases AS l
        JOIN shards AS s ON s.shard = l.shard
        JOIN events AS e ON e.shard = l.shard AND e.position = l.checkpoint + 1
        WHERE s.head > l.checkpoint
        ORDER BY e.at, l.shard
        LIMIT 1
        """
    )

    static let liveActivities = Statement(
        "diagnosis.liveActivities",
        "SELECT environment, count(*) FROM activities WHERE state = 'live' GROUP BY environment ORDER BY environment"
    )
}
