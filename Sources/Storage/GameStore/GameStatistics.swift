public import Encodings
import GameCore
import PostgresClient

/// Statistics of the game, read from the database.
public struct GameStatistics: Sendable, Hashable {
    /// A number of rows.
    public struct Count: Sendable, Hashable {
        /// The number of rows.
        public let value: Int
        /// Whether the rows were counted.
        ///
        /// The number of very many rows is estimated with the planner's statistics.
        public let isExact: Bool
    }

    /// The number of parties, without disbanded ones.
    public let parties: Count
    /// The number of players, without erased ones.
    public let players: Count
    /// The number of running journeys.
    public let journeys: Int
    /// The number of running boss fights.
    public let bossFights: Int
    /// The number of live activities.
    public let liveActivities: Int
    /// The number of live activities that were pushed to in the last minute, according to checkpoints, which lag a few
    /// seconds behind.
    public let recentlyPushedActivities: Int
    /// The number of log entries ever written, over all shards.
    public let logEntries: Int64
    /// The moment of the oldest change that is pending for an activity; nil if there is none.
    ///
    /// Dispatchers write it every few seconds.
    public let oldestUnsent: Timestamp?
    /// The number of shards leased by a dispatcher.
    public let leasedShards: Int
    /// The number of dispatchers that hold a lease.
    public let dispatchers: Int
    /// The number of entries of the audit log.
    public let auditEntries: Int64
}

extension GameStore {
    /// The maximum number of rows counted exactly, which takes a few milliseconds.
    private static let maxExactCount = 10_000

    /// Returns the current statistics.
    ///
    /// No statement scans a large table completely, except the live activities.
    /// - Parameter now: the current time. Recent pushes are those of the minute before.
    /// - Returns: the statistics.
    /// - Throws: `PostgresError`.
    public func statistics(at now: Timestamp) async throws -> GameStatistics {
        let parties = try await countParties()
        let counts = try await pool.query(PostgresQuery(StatisticsStatements.players, Int64(Self.maxExactCount + 1)))
        let (players, playersEstimate) = try counts[0].decode(Int64.self, Int64.self)
        let minuteAgo = now - .seconds(60)
        let live = try await pool.query(PostgresQuery(StatisticsStatements.activities, minuteAgo.epochSeconds))
        let (liveActivities, pushedTo) = try live[0].decode(Int64.self, Int64.self)
        let shards = try await pool.query(PostgresQuery(StatisticsStatements.shards))
        let (journeys, fights, logEntries, leased, dispatchers, oldest, auditEntries) = try shards[0].decode(
            Int64.self,
            Int64.self,
            Int64.self,
            Int64.self,
            Int64.self,
            PostgresTimestamp?.self,
            Int64.self
        )
        return GameStatistics(
            parties: parties,
            players: Self.count(of: players, counted: players, estimate: playersEstimate),
            journeys: Int(journeys),
            bossFights: Int(fights),
            liveActivities: Int(liveActivities),
            recentlyPushedActivities: Int(pushedTo),
            logEntries: logEntries,
            oldestUnsent: oldest.map { Timestamp($0) },
            leasedShards: Int(leased),
            dispatchers: Int(dispatchers),
            auditEntries: auditEntries
        )
    }

    /// Returns the number of parties, without disbanded ones.
    public func countParties() async throws -> GameStatistics.Count {
        let counts = try await pool.query(PostgresQuery(StatisticsStatements.parties, Int64(Self.maxExactCount + 1)))
        let (rows, kept, estimate) = try counts[0].decode(Int64.self, Int64.self, Int64.self)
        return Self.count(of: rows, counted: kept, estimate: estimate)
    }

    /// Returns a number of rows, counted or estimated.
    /// - Parameters:
    ///   - read: the number of rows read.
    ///   - counted: the number of these rows that count.
    ///   - estimate: the planner's estimate of the number of rows; -1 if there is none.
    /// - Returns: the exact number if all rows were read, otherwise an estimate.
    static func count(of read: Int64, counted: Int64, estimate: Int64) -> GameStatistics.Count {
        guard read > maxExactCount else { return GameStatistics.Count(value: Int(counted), isExact: true) }
        let share = Double(counted) / Double(read)
        return GameStatistics.Count(value: Int(Double(max(estimate, read)) * share), isExact: false)
    }
}

enum StatisticsStatements {
    /// Counts at most `$1` parties, and reads the planner's estimate.
    static let parties = Statement(
        "statistics.parties",
        """
        SELECT count(*), count(*) FILTER (WHERE disbanded_at IS NULL),
            (SELECT reltuples::bigint FROM pg_class WHERE oid = 'parties'::regclass)
        FROM (SELECT disbanded_at FROM parties LIMIT $1) AS some_parties
        """
    )

    /// Counts at most `$1` players, and reads the planner's estimate.
    static let players = Statement(
        "statistics.players",
        """
        SELECT count(*), (SELECT reltuples::bigint FROM pg_class WHERE oid = 'players'::regclass)
        FROM (SELECT 1 FROM players LIMIT $1) AS some_players
        """
    )

    /// Counts the live activities along their partial index.
    static let activities = Statement(
        "statistics.activities",
        """
        SELECT count(*), count(*) FILTER (WHERE last_timestamp >= $1) FROM activities WHERE state = 'live'
        """
    )

    /// Sums over the 256 rows of `shards`, `leases` and `audit_heads`.
    static let shards = Statement(
        "statistics.shards",
        """
        SELECT
            (SELECT coalesce(sum(journeys), 0)::bigint FROM shards),
            (SELECT coalesce(sum(boss_fights + raids), 0)::bigint FROM shards),
            (SELECT coalesce(sum(head), 0)::bigint FROM shards),
            (SELECT count(*) FROM \(LeaseStatements.withHolders) WHERE \(LeaseStatements.isHeld)),
            (SELECT count(DISTINCT holder) FROM \(LeaseStatements.withHolders) WHERE \(LeaseStatements.isHeld)),
            (SELECT min(\(LeaseStatements.pendingSince)) FROM \(LeaseStatements.withHolders)),
            (SELECT coalesce(sum(length), 0)::bigint FROM audit_heads)
        """
    )
}
