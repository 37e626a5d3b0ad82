public import GameCore
import PostgresClient

/// What was decided for one activity lately, encoded.
public struct ActivityDecisions: Sendable {
    /// Which adventure's activity.
    public let adventureID: AdventureID
    /// Which activity.
    public let activityID: ActivityID
    /// The decisions, in a form that the store does not look into.
    public let entries: [UInt8]

    /// What was decided for one activity.
    public init(adventureID: AdventureID, activityID: ActivityID, entries: [UInt8]) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.entries = entries
    }
}

extension GameStore {
    /// What was decided for an activity, nil when nothing was written down.
    public func decisions(for id: ActivityID, of adventureID: AdventureID) async throws -> [UInt8]? {
        let rows = try await pool.query(
            PostgresQuery(DecisionStatements.read, adventureID.shard.column, adventureID, id)
        )
        return try rows.first?.decode([UInt8].self)
    }

    /// What was decided for the live activities of a shard: what a dispatcher loads with them.
    public func liveDecisions(of shard: Shard) async throws -> [ActivityDecisions] {
        try await pool.query(PostgresQuery(DecisionStatements.live, shard.column)).map { row in
            let (adventureID, activityID, entries) = try row.decode(AdventureID.self, ActivityID.self, [UInt8].self)
            return ActivityDecisions(adventureID: adventureID, activityID: activityID, entries: entries)
        }
    }
}

enum DecisionStatements {
    static let read = Statement(
        "decisions.read",
        "SELECT decisions FROM activity_decisions WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3"
    )

    static let live = Statement(
        "decisions.live",
        """
        SELECT d.adventure_id, d.activity_id, d.decisions
        FROM activity_decisions AS d
        JOIN activities AS a USING (shard, adventure_id, activity_id)
        WHERE d.shard = $1 AND a.shard = $1 AND a.state = 'live'
        """
    )

    /// What the release before wrote goes when the row is written again.
    static let upsert = Statement(
        "decisions.upsert",
        """
        INSERT INTO activity_decisions (shard, adventure_id, activity_id, decisions)
        SELECT $1, u.adventure_id, u.activity_id, u.decisions
        FROM unnest($2::uuid[], $3::uuid[], $4::bytea[]) AS u (adventure_id, activity_id, decisions)
        ORDER BY u.adventure_id, u.activity_id
        ON CONFLICT (shard, adventure_id, activity_id) DO UPDATE SET decisions = excluded.decisions, entries = ''
        """
    )

    static func write(_ decisions: [ActivityDecisions], of shard: Shard) -> PostgresQuery {
        PostgresQuery(
            upsert,
            shard.column,
            decisions.map(\.adventureID),
            decisions.map(\.activityID),
            decisions.map(\.entries)
        )
    }
}
