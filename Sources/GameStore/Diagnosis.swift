public import GameCore
import PostgresClient

/// What the database tells of itself and of the game's state, for whoever asks what is wrong.
public struct StoreDiagnosis: Sendable {
    /// A change of the game that has not reached all phones, the oldest there is.
    public struct Unsent: Sendable, Hashable {
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

    /// PostgreSQL's version, such as `15.14`.
    public let serverVersion: String
    /// The database's clock.
    public let clock: Timestamp
    /// How many connections this database has, and how many the server takes in all.
    public let connections: (open: Int, limit: Int)
    /// How many shards are leased by how many dispatchers, and how many there are.
    public let leases: (held: Int, holders: Int, shards: Int)
    /// The oldest change that some phone has not been told of yet; nil when there is none.
    public let oldestUnsent: Unsent?
    /// How many live activities there are, by the environment of their tokens.
    public let liveActivities: [PushEnvironment: Int]

    /// What was found.
    public init(
        serverVersion: String,
        clock: Timestamp,
        connections: (open: Int, limit: Int),
        leases: (held: Int, holders: Int, shards: Int),
        oldestUnsent: Unsent?,
        liveActivities: [PushEnvironment: Int]
    ) {
        self.serverVersion = serverVersion
        self.clock = clock
        self.connections = connections
        self.leases = leases
        self.oldestUnsent = oldestUnsent
        self.liveActivities = liveActivities
    }
}

extension GameStore {
    /// The database's clock.
    public func clock() async throws -> Timestamp {
        guard let row = try await pool.query(PostgresQuery(DiagnosisStatements.clock)).first else {
            throw StoreError.lostRows(statement: DiagnosisStatements.clock.name, expected: 1, changed: 0)
        }
        return Timestamp(try row.decode(PostgresTimestamp.self))
    }

    /// Looks the database over: four statements, of which the one for the live activities reads an entry of an index for
    /// each of these.
    public func diagnosis() async throws -> StoreDiagnosis {
        guard
            let server = try await pool.query(PostgresQuery(DiagnosisStatements.server)).first,
            let leases = try await pool.query(PostgresQuery(DiagnosisStatements.leases)).first
        else {
            throw StoreError.lostRows(statement: DiagnosisStatements.server.name, expected: 1, changed: 0)
        }
        let (version, clock, open, limit) = try server.decode(
            String.self,
            PostgresTimestamp.self,
            Int64.self,
            Int32.self
        )
        let (held, holders, shards) = try leases.decode(Int64.self, Int64.self, Int64.self)
        let unsent = try await pool.query(PostgresQuery(DiagnosisStatements.unsent)).first.map { row in
            let (shard, at) = try row.decode(Int16.self, PostgresTimestamp.self)
            return StoreDiagnosis.Unsent(
                shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)),
                at: Timestamp(at)
            )
        }
        let live = try await pool.query(PostgresQuery(DiagnosisStatements.liveActivities)).map { row in
            try row.decode(PushEnvironment.self, Int64.self)
        }
        return StoreDiagnosis(
            serverVersion: version,
            clock: Timestamp(clock),
            connections: (Int(open), Int(limit)),
            leases: (Int(held), Int(holders), Int(shards)),
            oldestUnsent: unsent,
            liveActivities: Dictionary(live.map { ($0, Int($1)) }, uniquingKeysWith: +)
        )
    }
}

enum DiagnosisStatements {
    static let clock = Statement("diagnosis.clock", "SELECT clock_timestamp()")

    static let server = Statement(
        "diagnosis.server",
        """
        SELECT current_setting('server_version'), clock_timestamp(),
            (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
            current_setting('max_connections')::integer
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
