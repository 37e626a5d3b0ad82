public import Encodings
public import GameCore
public import GameLog
import PostgresClient

// Ordinary alerts for devices that show no Live Activity of an adventure.

extension GameStore {
    /// Returns the devices of players with a token for ordinary alerts.
    ///
    /// Those on machines that do not respond are left out.
    public func alertableDevices(of playerIDs: [PlayerID]) async throws -> [Device] {
        let shards = Set(playerIDs.map(\.shard)).sorted()
        return try await rows(of: shards) { shards in
            PostgresQuery(FallbackStatements.devices, shards.map(\.column), playerIDs)
        }.map(DeviceStatements.decode)
    }

    /// Claims the right to send one ordinary alert, by storing those that include it before it is sent.
    /// - Parameters:
    ///   - alerts: the alerts to store, the claimed one last.
    ///   - device: the device, as the decision was based on it.
    /// - Returns: whether the alert was claimed; false if the device has changed since it was read, and nothing was
    ///   written.
    /// - Throws: `PostgresError`.
    public func claimAlert(_ alerts: [SentAlert], for device: Device) async throws -> Bool {
        let result = try await pool.query(
            PostgresQuery(
                FallbackStatements.claim,
                device.playerID.shard.column,
                device.playerID,
                device.id,
                device.version,
                alerts.map(\.at.postgres),
                alerts.map(\.adventureID),
                alerts.map { Int64($0.sequence) }
            )
        )
        return result.affectedRows == 1
    }

    /// Removes a device's alert token, if it still has this one.
    public func removeAlertToken(_ token: [UInt8], of device: Device) async throws {
        _ = try await pool.query(
            PostgresQuery(
                DeviceStatements.clearAlertToken,
                device.playerID.shard.column,
                device.playerID,
                device.id,
                token,
                device.environment
            )
        )
    }

    /// Marks a live adventure as one of which a member has a device with an alert token; does nothing if it is marked.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - moment: the time.
    /// - Throws: `PostgresError`.
    public func markAlerts(of id: AdventureID, at moment: Timestamp) async throws {
        _ = try await pool.query(PostgresQuery(FallbackStatements.mark, id.shard.column, id, moment.postgres))
    }

    /// Returns the marked adventures of a shard that are live, or ended later than a moment.
    ///
    /// A dispatcher loads them when it acquires the shard's lease.
    public func markedAdventures(of shard: Shard, endedAfter moment: Timestamp) async throws -> [AdventureID] {
        try await pool.query(PostgresQuery(FallbackStatements.marked, shard.column, moment.postgres))
            .map { try $0.decode(AdventureID.self) }
    }

    /// Returns the live adventures of some shards that were marked later than a moment.
    public func liveAdventures(of shards: [Shard], markedAfter moment: Timestamp) async throws -> [AdventureID] {
        try await pool.query(PostgresQuery(FallbackStatements.newlyMarked, shards.map(\.column), moment.postgres))
            .map { try $0.decode(AdventureID.self) }
    }
}

enum FallbackStatements {
    /// Reads the devices of players with an alert token, along the primary key.
    static let devices = Statement(
        "device.alertable",
        """
        SELECT \(DeviceStatements.columns) FROM devices
        WHERE shard = ANY ($1) AND player_id = ANY ($2) AND alert_token IS NOT NULL
        ORDER BY player_id, registered_at, device_id
        """
    )

    /// Stores the alerts, if the device still has version `$4`.
    static let claim = Statement(
        "device.claimAlert",
        """
        UPDATE devices
        SET version = version + 1, alerted_at = $5, alerted_adventures = $6, alerted_sequences = $7
        WHERE shard = $1 AND player_id = $2 AND device_id = $3 AND version = $4
        """
    )

    /// Marks a live adventure by primary key.
    static let mark = Statement(
        "adventure.markAlerts",
        """
        UPDATE adventures SET alerts_since = $3
        WHERE shard = $1 AND adventure_id = $2 AND alerts_since IS NULL AND ended_at IS NULL
        """
    )

    /// Reads the marked adventures of a shard through their partial index.
    static let marked = Statement(
        "adventure.marked",
        """
        SELECT adventure_id FROM adventures
        WHERE shard = $1 AND coalesce(ended_at, 'infinity'::timestamptz) > $2
            AND alerts_since IS NOT NULL AND details_removed_at IS NULL
        ORDER BY adventure_id
        """
    )

    /// Reads the adventures that were marked lately through the same index.
    static let newlyMarked = Statement(
        "adventure.newlyMarked",
        """
        SELECT adventure_id FROM adventures
        WHERE shard = ANY ($1) AND coalesce(ended_at, 'infinity'::timestamptz) = 'infinity'::timestamptz
            AND alerts_since > $2 AND details_removed_at IS NULL
        ORDER BY adventure_id
        """
    )
}
