public import Encodings
public import GameCore
public import GameLog
import PostgresClient

/// An activity with what its device has reported about it.
public struct ReportedActivity: Sendable {
    /// The adventure that the activity shows.
    public let adventureID: AdventureID
    /// The activity.
    public let activityID: ActivityID
    /// The player.
    public let playerID: PlayerID
    /// The device that shows the activity.
    public let deviceID: DeviceID
    /// What the device has reported; nil before its first report.
    public var receipts: ActivityReceipts?
    /// The pushes up to this moment are counted in the metrics.
    public var judgedThrough: Timestamp
    /// When the activity started on the device.
    public let startedAt: Timestamp
    /// The generation of the newest token.
    public let generation: Int
    /// When the app registered the newest token.
    public let tokenRegisteredAt: Timestamp
    /// The decision records of the activity; empty if there are none.
    public let decisions: [UInt8]
    /// The version of the row; zero if there is none.
    fileprivate let version: Int32
}

extension GameStore {
    /// Returns those activities of a device among some, with what it has reported about them.
    ///
    /// Activities of other players and of other devices are left out like unknown ones. Reads with one statement for each
    /// shard, in one round trip.
    public func reportedActivities(
        _ ids: [(adventureID: AdventureID, activityID: ActivityID)],
        of playerID: PlayerID,
        on deviceID: DeviceID
    ) async throws -> [ReportedActivity] {
        let shards = Dictionary(grouping: ids, by: \.adventureID.shard).sorted { $0.key < $1.key }
        let queries = shards.map { shard, ids in
            PostgresQuery(
                ReceiptStatements.readOfDevice,
                shard.column,
                ids.map(\.adventureID),
                ids.map(\.activityID),
                playerID,
                deviceID
            )
        }
        guard !queries.isEmpty else { return [] }
        let wanted = Dictionary(grouping: ids, by: \.adventureID).mapValues { Set($0.map(\.activityID)) }
        return try await pool.read(queries).flatMap { try $0.map(ReceiptStatements.decode) }
            .filter { wanted[$0.adventureID]?.contains($0.activityID) == true }
    }

    /// Writes what devices have reported, unless another report about the same activity was written meanwhile.
    ///
    /// One statement for each shard, without the shard's lock: no dispatcher and no command reads what it writes.
    /// - Parameter activities: the activities, each once, with their changed receipts.
    /// - Returns: the activities that were written; the others have to be read again.
    /// - Throws: `PostgresError`.
    public func write(_ activities: [ReportedActivity]) async throws -> [ReportedActivity] {
        var written: [ReportedActivity] = []
        for (shard, ofShard) in Dictionary(grouping: activities, by: \.adventureID.shard) {
            let rows = ofShard.compactMap { activity in activity.receipts.map { (activity, $0.encoded) } }
            let query = PostgresQuery(
                ReceiptStatements.write,
                shard.column,
                rows.map(\.0.adventureID),
                rows.map(\.0.activityID),
                rows.map(\.1),
                rows.map { $0.0.version &+ 1 },
                rows.map(\.0.judgedThrough.postgres)
            )
            for row in try await pool.query(query) {
                let (adventureID, activityID) = try row.decode(AdventureID.self, ActivityID.self)
                written += ofShard.filter { $0.adventureID == adventureID && $0.activityID == activityID }
            }
        }
        return written
    }

    /// Returns live activities of all shards about which their devices have reported something.
    ///
    /// Leaves out the shards of machines that do not respond.
    /// - Parameter limit: the maximum number of activities of each shard.
    /// - Returns: the activities.
    /// - Throws: `PostgresError`.
    public func reportedActivities(ofEachShard limit: Int) async throws -> [ReportedActivity] {
        let shards = Shard.all.filter { !unreachableShards.contains($0) }
        let queries = shards.map { PostgresQuery(ReceiptStatements.sample, $0.column, Int64(limit)) }
        return try await pool.read(queries).flatMap { try $0.map(ReceiptStatements.decode) }
    }

    /// Returns what a device has reported about an activity; nil before its first report.
    public func receipts(for id: ActivityID, of adventureID: AdventureID) async throws -> ActivityReceipts? {
        let rows = try await pool.query(
            PostgresQuery(ReceiptStatements.read, adventureID.shard.column, adventureID, id)
        )
        return try rows.first.flatMap { ActivityReceipts(encoded: try $0.decode([UInt8].self)) }
    }
}

enum ReceiptStatements {
    /// Reads the receipts of an activity by primary key.
    static let read = Statement(
        "receipts.read",
        "SELECT receipts FROM activity_receipts WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3"
    )

    /// Reads the receipts of activities in several shards by primary key.
    static let readSeveral = Statement(
        "receipts.readSeveral",
        """
        SELECT r.adventure_id, r.activity_id, r.receipts
        FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS requested (shard, adventure_id, activity_id)
        JOIN activity_receipts AS r ON r.shard = requested.shard AND r.adventure_id = requested.adventure_id
            AND r.activity_id = requested.activity_id
        WHERE r.shard = ANY ($1)
        """
    )

    private static let columns = """
        a.adventure_id, a.activity_id, a.player_id, coalesce(a.device_id, a.player_id),
        coalesce(a.starts_at, a.registered_at), a.generation, a.token_registered_at,
        r.receipts, r.judged_through, r.version, d.records
        """

    /// Reads at most `$2` live activities of a shard that have receipts, with these and the decision records.
    static let sample = Statement(
        "receipts.sample",
        """
        SELECT \(columns)
        FROM activities AS a
        JOIN activity_receipts AS r
            ON r.shard = $1 AND r.adventure_id = a.adventure_id AND r.activity_id = a.activity_id
        JOIN activity_decisions AS d
            ON d.shard = $1 AND d.adventure_id = a.adventure_id AND d.activity_id = a.activity_id
        WHERE a.shard = $1 AND a.state = 'live'
        LIMIT $2
        """
    )

    /// Reads activities of a device in a shard with their receipts and decision records, by primary key.
    static let readOfDevice = Statement(
        "receipts.readOfDevice",
        """
        SELECT \(columns)
        FROM activities AS a
        LEFT JOIN activity_receipts AS r
            ON r.shard = $1 AND r.adventure_id = a.adventure_id AND r.activity_id = a.activity_id
        LEFT JOIN activity_decisions AS d
            ON d.shard = $1 AND d.adventure_id = a.adventure_id AND d.activity_id = a.activity_id
        WHERE a.shard = $1 AND a.adventure_id = ANY ($2) AND a.activity_id = ANY ($3)
            AND a.player_id = $4 AND coalesce(a.device_id, a.player_id) = $5
        ORDER BY a.adventure_id, a.activity_id
        """
    )

    /// Inserts or replaces the receipts of activities, unless their rows have changed since they were read, or the
    /// activities are gone.
    static let write = Statement(
        "receipts.write",
        """
        INSERT INTO activity_receipts (shard, adventure_id, activity_id, receipts, version, judged_through)
        SELECT a.shard, a.adventure_id, a.activity_id, u.receipts, u.version, u.judged_through
        FROM unnest($2::uuid[], $3::uuid[], $4::bytea[], $5::integer[], $6::timestamptz[])
            AS u (adventure_id, activity_id, receipts, version, judged_through)
        JOIN activities AS a ON a.adventure_id = u.adventure_id AND a.activity_id = u.activity_id
        WHERE a.shard = $1
        ORDER BY a.adventure_id, a.activity_id
        ON CONFLICT (shard, adventure_id, activity_id) DO UPDATE
        SET receipts = excluded.receipts, version = excluded.version, judged_through = excluded.judged_through
        WHERE activity_receipts.version = excluded.version - 1
        RETURNING adventure_id, activity_id
        """
    )

    static func decode(_ row: PostgresRow) throws -> ReportedActivity {
        let (
            adventureID, activityID, playerID, deviceID, startedAt, generation, tokenRegisteredAt, receipts,
            judgedThrough, version,
            decisions
        ) = try row.decode(
            AdventureID.self,
            ActivityID.self,
            PlayerID.self,
            DeviceID.self,
            PostgresTimestamp.self,
            Int32.self,
            PostgresTimestamp.self,
            [UInt8]?.self,
            PostgresTimestamp?.self,
            Int32?.self,
            [UInt8]?.self
        )
        return ReportedActivity(
            adventureID: adventureID,
            activityID: activityID,
            playerID: playerID,
            deviceID: deviceID,
            // What another release wrote in a form of its own is replaced.
            receipts: receipts.flatMap { ActivityReceipts(encoded: $0) },
            judgedThrough: judgedThrough.map { Timestamp($0) } ?? Timestamp(epochSeconds: 0),
            startedAt: Timestamp(startedAt),
            generation: Int(generation),
            tokenRegisteredAt: Timestamp(tokenRegisteredAt),
            decisions: decisions ?? [],
            version: version ?? 0
        )
    }
}
