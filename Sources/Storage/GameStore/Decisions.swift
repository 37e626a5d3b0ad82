public import GameCore
public import GameLog
import PostgresClient

extension GameStore {
    /// Returns the decision records of an activity; nil if there are none.
    public func decisions(for id: ActivityID, of adventureID: AdventureID) async throws -> [UInt8]? {
        let rows = try await pool.query(
            PostgresQuery(DecisionStatements.read, adventureID.shard.column, adventureID, id)
        )
        return try rows.first?.decode([UInt8].self)
    }

    /// Returns the decision records of a shard's live activities.
    ///
    /// A dispatcher loads them with the activities.
    public func liveDecisions(of shard: Shard) async throws -> [ActivityDecisions] {
        try await pool.query(PostgresQuery(DecisionStatements.live, shard.column)).map { row in
            let (adventureID, activityID, entries) = try row.decode(AdventureID.self, ActivityID.self, [UInt8].self)
            return ActivityDecisions(adventureID: adventureID, activityID: activityID, entries: entries)
        }
    }
}

enum DecisionStatements {
    /// Reads the decision records of an activity by primary key.
    static let read = Statement(
        "decisions.read",
        "SELECT records FROM activity_decisions WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3"
    )

    /// Reads the decision records of activities in several shards by primary key.
    static let readSeveral = Statement(
        "decisions.readSeveral",
        """
        SELECT d.adventure_id, d.activity_id, d.records
        FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS requested (shard, adventure_id, activity_id)
        JOIN activity_decisions AS d ON d.shard = requested.shard AND d.adventure_id = requested.adventure_id
            AND d.activity_id = requested.activity_id
        WHERE d.shard = ANY ($1)
        """
    )

    /// Reads the decision records of a shard's live activities, joined by primary key.
    static let live = Statement(
        "decisions.live",
        """
        SELECT d.adventure_id, d.activity_id, d.records
        FROM activity_decisions AS d
        JOIN activities AS a USING (shard, adventure_id, activity_id)
        WHERE d.shard = $1 AND a.shard = $1 AND a.state = 'live'
        """
    )

    /// Inserts or replaces decision records, in the order of the primary key.
    ///
    /// Also clears the column of the previous release.
    static let upsert = Statement(
        "decisions.upsert",
        """
        INSERT INTO activity_decisions (shard, adventure_id, activity_id, records)
        SELECT s.shard, u.adventure_id, u.activity_id, u.records
        FROM shards AS s, unnest($2::uuid[], $3::uuid[], $4::bytea[]) AS u (adventure_id, activity_id, records)
        WHERE s.shard = $1
        ORDER BY u.adventure_id, u.activity_id
        ON CONFLICT (shard, adventure_id, activity_id) DO UPDATE SET records = excluded.records
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
