public import Encodings
import GameCore
import GameLog
import PostgresClient

/// The amount of work in progress and of work that is late, over all nodes.
public struct BacklogStatistics: Sendable, Equatable {
    /// The number of running journeys.
    public let journeys: Int
    /// The number of running boss fights.
    public let bossFights: Int
    /// The number of live activities.
    public let liveActivities: Int
    /// The time of the oldest change that is pending for an activity, or that no dispatcher has read; nil if there is
    /// none.
    public let oldestUnsent: Timestamp?
    /// The oldest clock of a shard with live adventures; nil if there is none.
    public let oldestClock: Timestamp?
    /// The newest clock of a shard; later than the database's time only if that was set back.
    public let newestClock: Timestamp
    /// The database's time when the statistics were read.
    public let databaseTime: Timestamp

    /// Creates statistics.
    public init(
        journeys: Int = 0,
        bossFights: Int = 0,
        liveActivities: Int = 0,
        oldestUnsent: Timestamp? = nil,
        oldestClock: Timestamp? = nil,
        newestClock: Timestamp = Timestamp(epochSeconds: 0),
        databaseTime: Timestamp = Timestamp(epochSeconds: 0)
    ) {
        self.journeys = journeys
        self.bossFights = bossFights
        self.liveActivities = liveActivities
        self.oldestUnsent = oldestUnsent
        self.oldestClock = oldestClock
        self.newestClock = newestClock
        self.databaseTime = databaseTime
    }
}

extension GameStore {
    /// Returns the current backlog.
    ///
    /// One round trip that reads the live rows of an index, and the rows of shards and leases.
    public func backlogStatistics() async throws -> BacklogStatistics {
        guard let row = try await pool.query(PostgresQuery(BacklogStatements.read)).first else {
            throw StoreError.lostRows(statement: BacklogStatements.read.name, expected: 1, changed: 0)
        }
        let (journeys, fights, activities, unsent, oldest, newest, now) = try row.decode(
            Int64.self,
            Int64.self,
            Int64.self,
            PostgresTimestamp?.self,
            PostgresTimestamp?.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self
        )
        return BacklogStatistics(
            journeys: Int(journeys),
            bossFights: Int(fights),
            liveActivities: Int(activities),
            oldestUnsent: unsent.map { Timestamp($0) },
            oldestClock: oldest.map { Timestamp($0) },
            newestClock: Timestamp(newest),
            databaseTime: Timestamp(now)
        )
    }

    /// Returns the age of the database's oldest snapshot by the database's clock, as in
    /// ``oldSnapshots(olderThan:limit:)``; nil if there is none.
    ///
    /// Apart from ``backlogStatistics()``, since PostgreSQL's list of sessions cannot be read beside the tables of a Citus
    /// cluster.
    public func oldestSnapshot() async throws -> Duration? {
        let rows = try await pool.query(PostgresQuery(BacklogStatements.oldestSnapshot))
        return try rows.first?.decode(Int64?.self).map { .microseconds($0) }
    }
}

enum BacklogStatements {
    /// Counts running adventures and live activities, and finds the oldest pending change, over all shards.
    static let read = Statement(
        "backlog.read",
        """
        SELECT
            (SELECT coalesce(sum(journeys), 0)::bigint FROM shards),
            (SELECT coalesce(sum(boss_fights + raids), 0)::bigint FROM shards),
            (SELECT count(*) FROM activities WHERE state = 'live'),
            (SELECT min(\(LeaseStatements.pendingSince)) FROM \(LeaseStatements.withHolders)),
            (SELECT min(clock) FROM shards WHERE journeys + boss_fights + raids > 0),
            (SELECT coalesce(max(clock), 'epoch') FROM shards),
            clock_timestamp()
        """
    )

    /// Reads the age of the oldest snapshot from the list of sessions.
    static let oldestSnapshot = Statement(
        "backlog.oldestSnapshot",
        """
        SELECT (extract(epoch FROM clock_timestamp() - min(xact_start)) * 1000000)::bigint
        FROM pg_stat_activity
        WHERE \(DiagnosisStatements.keepsSnapshot)
        """
    )
}
