public import Encodings
import GameCore
import PostgresClient

/// How much there is to do, over all nodes.
public struct Vitals: Sendable, Equatable {
    /// Journeys under way.
    public let journeys: Int
    /// Boss fights under way.
    public let bossFights: Int
    /// Activities that are to be kept up to date.
    public let liveActivities: Int
    /// When the oldest change was recorded that a phone is still owed, or that no dispatcher has looked at; nil when
    /// there is none.
    public let oldestUnsent: Timestamp?
    /// When the turn is due, or was, that no one has played for longest; nil when no fight waits for a turn.
    public let oldestTurnDue: Timestamp?
    /// For how long the oldest snapshot of the database has been open by its own clock, as
    /// ``GameStore/oldSnapshots(olderThan:limit:)`` tells; nil when there is none.
    public let oldestSnapshot: Duration?

    /// Some counts.
    public init(
        journeys: Int = 0,
        bossFights: Int = 0,
        liveActivities: Int = 0,
        oldestUnsent: Timestamp? = nil,
        oldestTurnDue: Timestamp? = nil,
        oldestSnapshot: Duration? = nil
    ) {
        self.journeys = journeys
        self.bossFights = bossFights
        self.liveActivities = liveActivities
        self.oldestUnsent = oldestUnsent
        self.oldestTurnDue = oldestTurnDue
        self.oldestSnapshot = oldestSnapshot
    }
}

extension GameStore {
    /// How much there is to do now.
    ///
    /// One round trip that reads the live rows of two indexes, one row for each shard, and one entry of the log for each
    /// shard that is behind; and a look at the sessions.
    public func vitals() async throws -> Vitals {
        guard let row = try await pool.query(PostgresQuery(VitalsStatements.vitals)).first else {
            throw StoreError.lostRows(statement: VitalsStatements.vitals.name, expected: 1, changed: 0)
        }
        let (journeys, fights, activities, unsent, turn, snapshot) = try row.decode(
            Int64.self,
            Int64.self,
            Int64.self,
            PostgresTimestamp?.self,
            PostgresTimestamp?.self,
            Int64?.self
        )
        return Vitals(
            journeys: Int(journeys),
            bossFights: Int(fights),
            liveActivities: Int(activities),
            oldestUnsent: unsent.map { Timestamp($0) },
            oldestTurnDue: turn.map { Timestamp($0) },
            oldestSnapshot: snapshot.map { .microseconds($0) }
        )
    }
}

enum VitalsStatements {
    // A checkpoint is right before the oldest entry that something is owed for. The log has no gaps, so the entry
    // behind it is there unless the checkpoint is its head.
    static let vitals = Statement(
        "vitals.read",
        """
        SELECT
            (SELECT coalesce(sum(journeys), 0)::bigint FROM shards),
            (SELECT count(*) FROM boss_turns),
            (SELECT count(*) FROM activities WHERE state = 'live'),
            (SELECT min(e.at) FROM leases AS l JOIN events AS e ON e.shard = l.shard AND e.position = l.checkpoint + 1),
            (SELECT min(next_turn_at) FROM shards),
            (
                SELECT (extract(epoch FROM clock_timestamp() - min(xact_start)) * 1000000)::bigint
                FROM pg_stat_activity
                WHERE \(DiagnosisStatements.keepsSnapshot)
            )
        """
    )
}
