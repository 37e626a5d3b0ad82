public import Encodings
import GameCore
import PostgresClient

/// How much there is and goes on, as the database tells it at a moment.
public struct GameStatistics: Sendable, Hashable {
    /// A number of rows.
    public struct Count: Sendable, Hashable {
        /// How many.
        public let value: Int
        /// Whether they were counted; where there are very many, the planner's estimate stands for the number.
        public let isExact: Bool
    }

    /// Parties that were not disbanded.
    public let parties: Count
    /// Players who were not erased.
    public let players: Count
    /// Journeys that run.
    public let journeys: Int
    /// Boss fights that run.
    public let bossFights: Int
    /// Live Activities that are pushed to.
    public let liveActivities: Int
    /// Those of them that were pushed to in the last minute, as far as it is written down: some seconds late.
    public let activitiesPushedToLately: Int
    /// Entries of the log, of all shards since the beginning.
    public let logEntries: Int64
    /// When the oldest entry of the log was written that the dispatchers have not settled; nil when all are.
    ///
    /// They write down what is settled every few seconds.
    public let oldestUnsettled: Timestamp?
    /// Shards for which a dispatcher sends.
    public let leasedShards: Int
    /// Dispatchers that send for a shard.
    public let dispatchers: Int
    /// Entries of the audit log.
    public let auditEntries: Int64
}

extension GameStore {
    /// Up to here rows are counted one by one: some milliseconds.
    private static let mostCounted = 10_000

    /// How much there is and goes on.
    ///
    /// No statement reads a large table as a whole; only the live activities are all looked at.
    /// - Parameter now: the present; "lately" is the minute before.
    /// - Returns: what the database tells.
    /// - Throws: `PostgresError`.
    public func statistics(at now: Timestamp) async throws -> GameStatistics {
        let parties = try await countParties()
        let counts = try await pool.query(PostgresQuery(StatisticsStatements.players, Int64(Self.mostCounted + 1)))
        let (players, playersEstimate) = try counts[0].decode(Int64.self, Int64.self)
        let lately = now - .seconds(60)
        let live = try await pool.query(PostgresQuery(StatisticsStatements.activities, lately.epochSeconds))
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
            activitiesPushedToLately: Int(pushedTo),
            logEntries: logEntries,
            oldestUnsettled: oldest.map { Timestamp($0) },
            leasedShards: Int(leased),
            dispatchers: Int(dispatchers),
            auditEntries: auditEntries
        )
    }

    /// How many parties there are, those that were disbanded left out.
    public func countParties() async throws -> GameStatistics.Count {
        let counts = try await pool.query(PostgresQuery(StatisticsStatements.parties, Int64(Self.mostCounted + 1)))
        let (rows, kept, estimate) = try counts[0].decode(Int64.self, Int64.self, Int64.self)
        return Self.count(of: rows, counted: kept, estimate: estimate)
    }

    /// How many there are, counted or estimated.
    /// - Parameters:
    ///   - read: how many rows were read.
    ///   - counted: how many of them count.
    ///   - estimate: how many rows the planner believes there are, -1 when it has never looked.
    /// - Returns: exactly how many where all of them were read.
    static func count(of read: Int64, counted: Int64, estimate: Int64) -> GameStatistics.Count {
        guard read > mostCounted else { return GameStatistics.Count(value: Int(counted), isExact: true) }
        let share = Double(counted) / Double(read)
        return GameStatistics.Count(value: Int(Double(max(estimate, read)) * share), isExact: false)
    }
}

enum StatisticsStatements {
    static let parties = Statement(
        "statistics.parties",
        """
        SELECT count(*), count(*) FILTER (WHERE disbanded_at IS NULL),
            (SELECT reltuples::bigint FROM pg_class WHERE oid = 'parties'::regclass)
        FROM (SELECT disbanded_at FROM parties LIMIT $1) AS some_parties
        """
    )

    static let players = Statement(
        "statistics.players",
        """
        SELECT count(*), (SELECT reltuples::bigint FROM pg_class WHERE oid = 'players'::regclass)
        FROM (SELECT FROM players LIMIT $1) AS some_players
        """
    )

    static let activities = Statement(
        "statistics.activities",
        """
        SELECT count(*), count(*) FILTER (WHERE last_timestamp >= $1) FROM activities WHERE state = 'live'
        """
    )

    static let shards = Statement(
        "statistics.shards",
        """
        SELECT
            (SELECT coalesce(sum(journeys), 0)::bigint FROM shards),
            (SELECT count(*) FROM boss_turns),
            (SELECT coalesce(sum(head), 0)::bigint FROM shards),
            (SELECT count(*) FROM leases WHERE holder IS NOT NULL AND expires_at >= now()),
            (SELECT count(DISTINCT holder) FROM leases WHERE expires_at >= now()),
            (
                SELECT min(e.at)
                FROM leases AS l
                JOIN shards AS s ON s.shard = l.shard
                JOIN events AS e ON e.shard = l.shard AND e.position = l.checkpoint + 1
                WHERE s.head > l.checkpoint
            ),
            (SELECT coalesce(sum(length), 0)::bigint FROM audit_heads)
        """
    )
}
