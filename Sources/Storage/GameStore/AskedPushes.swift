public import Encodings
import Foundation
public import GameCore
import PostgresClient

/// What came of a push that an operator asked for.
public struct AskedPush: Sendable, Hashable {
    /// What such a push does to the activity.
    public enum Event: String, Sendable, CaseIterable {
        /// Shows the newest state.
        case update
        /// Ends the activity with the newest state, for good.
        case end
    }

    /// Which adventure's activity.
    public let adventureID: AdventureID
    /// Which activity.
    public let activityID: ActivityID
    /// The position of the log that asked for it.
    public let position: Int64
    /// Request and answer: a JSON object that the store does not look into, without secrets.
    ///
    /// Until there is an answer it is that of a ``Wait``.
    public let report: String

    /// What is known of a push that has no answer yet.
    public struct Wait: Codable, Sendable, Hashable {
        /// `update` or `end`.
        public let asked: String
        /// When it was asked for, in microseconds since 1970.
        let atMicroseconds: Int64

        /// When it was asked for.
        public var at: Timestamp { Timestamp(microseconds: atMicroseconds) }
    }

    /// Nil once there is an answer, which has nothing of a wait.
    public var wait: Wait? { try? JSONDecoder().decode(Wait.self, from: Data(report.utf8)) }

    /// What came of a push.
    public init(adventureID: AdventureID, activityID: ActivityID, position: Int64, report: String) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.position = position
        self.report = report
    }
}

extension GameStore {
    /// What came of the last push that an operator asked for, nil when none was, or it has no answer yet.
    public func askedPush(for id: ActivityID, of adventureID: AdventureID) async throws -> AskedPush? {
        try await newestAskedPush(for: id, of: adventureID).flatMap { $0.wait == nil ? $0 : nil }
    }

    /// The last push that an operator asked for, whether it has an answer or not; nil when none was.
    public func newestAskedPush(for id: ActivityID, of adventureID: AdventureID) async throws -> AskedPush? {
        let query = PostgresQuery(AskedPushStatements.read, adventureID.shard.column, adventureID, id)
        return try await pool.query(query).first.map { row in
            let (position, report) = try row.decode(Int64.self, String.self)
            return AskedPush(adventureID: adventureID, activityID: id, position: position, report: report)
        }
    }
}

enum AskedPushStatements {
    static let read = Statement(
        "askedPushes.read",
        "SELECT position, report FROM asked_pushes WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3"
    )

    /// What came of a push leaves alone that another one has been asked for since.
    static let upsert = Statement(
        "askedPushes.upsert",
        """
        INSERT INTO asked_pushes (shard, adventure_id, activity_id, position, report)
        SELECT $1, u.adventure_id, u.activity_id, u.position, u.report
        FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[]) AS u (adventure_id, activity_id, position, report)
        ORDER BY u.adventure_id, u.activity_id
        ON CONFLICT (shard, adventure_id, activity_id) DO UPDATE
        SET position = excluded.position, report = excluded.report
        WHERE asked_pushes.position <= excluded.position
        """
    )

    /// Notes that a push is asked for.
    static func note(
        _ event: AskedPush.Event,
        for activityID: ActivityID,
        of adventureID: AdventureID,
        position: Int64,
        at now: Timestamp
    ) -> PostgresQuery {
        let report = #"{"asked":"\#(event.rawValue)","atMicroseconds":\#(now.microseconds)}"#
        let push = AskedPush(adventureID: adventureID, activityID: activityID, position: position, report: report)
        return write([push], of: adventureID.shard)
    }

    static func write(_ pushes: [AskedPush], of shard: Shard) -> PostgresQuery {
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
