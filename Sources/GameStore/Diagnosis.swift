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

extension GameStore {
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
