import Encodings
import Foundation
public import GameCore
public import GameLog
import PostgresClient

extension GameStore {
    /// Returns the newest requested push of an activity if it has a result; nil otherwise.
    public func requestedPush(for id: ActivityID, of adventureID: AdventureID) async throws -> RequestedPush? {
        try await latestRequestedPush(for: id, of: adventureID).flatMap { $0.pendingRequest == nil ? $0 : nil }
    }

    /// Returns the newest requested push of an activity, with or without a result; nil if there is none.
    public func latestRequestedPush(for id: ActivityID, of adventureID: AdventureID) async throws -> RequestedPush? {
        let query = PostgresQuery(RequestedPushStatements.read, adventureID.shard.column, adventureID, id)
        return try await pool.query(query).first.map { row in
            let (position, report) = try row.decode(Int64.self, String.self)
            return RequestedPush(adventureID: adventureID, activityID: id, position: position, report: report)
        }
    }
}

enum RequestedPushStatements {
    /// Reads the newest requested push of an activity by primary key.
    static let read = Statement(
        "requestedPush.read",
        "SELECT position, report FROM requested_pushes WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3"
    )

    /// Inserts or updates requested pushes.
    ///
    /// A result does not replace a newer request.
    static let upsert = Statement(
        "requestedPush.upsert",
        """
        INSERT INTO requested_pushes (shard, adventure_id, activity_id, position, report)
        SELECT s.shard, u.adventure_id, u.activity_id, u.position, u.report
        FROM shards AS s,
            unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[])
                AS u (adventure_id, activity_id, position, report)
        WHERE s.shard = $1
        ORDER BY u.adventure_id, u.activity_id
        ON CONFLICT (shard, adventure_id, activity_id) DO UPDATE
        SET position = excluded.position, report = excluded.report
        WHERE requested_pushes.position <= excluded.position
        """
    )

    /// Returns the query that records a request.
    static func record(
        _ event: RequestedPush.Event,
        for activityID: ActivityID,
        of adventureID: AdventureID,
        position: Int64,
        at now: Timestamp
    ) -> PostgresQuery {
        let report = #"{"asked":"\#(event.rawValue)","atMicroseconds":\#(now.microseconds)}"#
        let push = RequestedPush(adventureID: adventureID, activityID: activityID, position: position, report: report)
        return write([push], of: adventureID.shard)
    }

    static func write(_ pushes: [RequestedPush], of shard: Shard) -> PostgresQuery {
        PostgresQuery(
            upsert,
            shard.column,
            pushes.map(\.adventureID),
            pushes.map(\.activityID),
            pushes.map(\.position),
            pushes.map(\.report)
        )
    }
}
