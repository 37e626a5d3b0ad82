public import Encodings
public import GameCore
public import GameLog
import PostgresClient

/// A token that belongs to one device: the one that registered it last.
public enum DeviceTokenKind: Sendable, CaseIterable {
    /// The token that starts activities.
    case pushToStart
    /// The token for ordinary alerts.
    case alert
    /// The token that reloads the app's widgets.
    case widgets
}

extension ShardTransaction {
    /// The time after which a device is written again without a change, since it is still used.
    private static let deviceReportInterval = Duration.seconds(86_400)

    /// Returns the devices of a player of this shard, in order of registration.
    public func devices(of playerID: PlayerID) async throws -> [Device] {
        let query = PostgresQuery(DeviceStatements.ofPlayer, shard.column, playerID)
        return try await connection.query(query).map(DeviceStatements.decode)
    }

    /// Stores what an app says about a device of a player of this shard.
    ///
    /// The starts of a known device stay.
    public mutating func store(_ device: Device) {
        writes.append(
            PostgresQuery(
                DeviceStatements.upsert,
                shard.column,
                device.playerID,
                device.id,
                device.environment,
                device.locale,
                device.appBuild,
                device.liveActivitiesEnabled,
                device.frequentPushesEnabled,
                device.pushToStartToken,
                device.alertToken,
                now.postgres,
                (now - Self.deviceReportInterval).postgres,
                device.alertPreferences.stored,
                device.widgetToken,
                device.followsRaids
            )
        )
    }

    /// Whether a device is written again although nothing has changed.
    public func isOutdated(_ device: Device) -> Bool { device.updatedAt < now - Self.deviceReportInterval }

    /// Removes a device of a player of this shard.
    public mutating func removeDevice(_ id: DeviceID, of playerID: PlayerID) {
        writes.append(PostgresQuery(DeviceStatements.delete, shard.column, playerID, id))
    }
}

extension GameStore {
    /// Returns a player's device; nil if the player has no such device.
    public func device(_ id: DeviceID, of playerID: PlayerID) async throws -> Device? {
        try await devices(of: playerID).first { $0.id == id }
    }

    /// Returns a player's devices, in order of registration.
    public func devices(of playerID: PlayerID) async throws -> [Device] {
        let query = PostgresQuery(DeviceStatements.ofPlayer, playerID.shard.column, playerID)
        return try await pool.query(query).map(DeviceStatements.decode)
    }

    /// Returns the devices of players.
    ///
    /// Those on machines that do not respond are left out.
    public func devices(of playerIDs: Set<PlayerID>) async throws -> [Device] {
        try await rows(of: Set(playerIDs.map(\.shard)).sorted()) { shards in
            PostgresQuery(DeviceStatements.ofPlayers, shards.map(\.column), Array(playerIDs))
        }.map(DeviceStatements.decode)
    }

    /// Returns the devices of players with a push-to-start token and Live Activities enabled.
    ///
    /// Those on machines that do not respond are left out.
    public func startableDevices(of playerIDs: [PlayerID]) async throws -> [Device] {
        let shards = Set(playerIDs.map(\.shard)).sorted()
        return try await rows(of: shards) { shards in
            PostgresQuery(DeviceStatements.startable, shards.map(\.column), playerIDs)
        }.map(DeviceStatements.decode)
    }

    /// Leaves a token to the device that registered it last, whichever player's it is.
    ///
    /// The same bytes in another environment are another token.
    ///
    /// Idempotent. Each device is changed by itself, since it may be in another shard: if that fails, the app repeats the
    /// registration.
    /// - Parameters:
    ///   - token: the token.
    ///   - kind: its kind.
    ///   - device: the device that has just registered it. Another one that did so later keeps the token.
    /// - Throws: `PostgresError`.
    public func resolveToken(_ token: [UInt8], _ kind: DeviceTokenKind, of device: Device) async throws {
        let (find, take) =
            switch kind {
            case .pushToStart: (DeviceStatements.withPushToStartToken, DeviceStatements.clearPushToStartToken)
            case .alert: (DeviceStatements.withAlertToken, DeviceStatements.clearAlertToken)
            case .widgets: (DeviceStatements.withWidgetToken, DeviceStatements.clearWidgetToken)
            }
        let owners = try await rows(of: Shard.all.map { $0 }) { shards in
            PostgresQuery(find, shards.map(\.column), token, device.environment)
        }.map { try $0.decode(PlayerID.self, DeviceID.self, PostgresTimestamp.self) }
        guard let (firstPlayer, first, newest) = owners.first else { return }
        let isNewest = owners.contains { $0.0 == device.playerID && $0.1 == device.id && $0.2 == newest }
        let owner = isNewest ? (device.playerID, device.id) : (firstPlayer, first)
        for (playerID, deviceID, _) in owners where (playerID, deviceID) != owner {
            _ = try await pool.query(
                PostgresQuery(take, playerID.shard.column, playerID, deviceID, token, device.environment)
            )
        }
    }

    /// Removes the push-to-start token that a device had when it was read, if it still has this one.
    public func removePushToStartToken(of device: Device) async throws {
        guard let token = device.pushToStartToken else { return }
        _ = try await pool.query(
            PostgresQuery(
                DeviceStatements.clearPushToStartToken,
                device.playerID.shard.column,
                device.playerID,
                device.id,
                token,
                device.environment
            )
        )
    }

    /// Removes devices that no app has described for long, with their tokens.
    /// - Parameters:
    ///   - moment: devices described at this time or later are kept.
    ///   - shard: the shard.
    ///   - limit: the maximum number of rows.
    /// - Returns: the number of rows removed.
    /// - Throws: `PostgresError`.
    public func removeDevices(unusedSince moment: Timestamp, in shard: Shard, limit: Int) async throws -> Int {
        try await pool.query(
            PostgresQuery(DeviceStatements.removeUnused, shard.column, moment.postgres, Int64(limit))
        ).affectedRows
    }

    /// Claims the right to send one start, by storing the starts that include it before it is sent.
    /// - Parameters:
    ///   - starts: the starts to store, the claimed one last.
    ///   - device: the device, as the decision was based on it.
    /// - Returns: whether the start was claimed; false if the device has changed since it was read, because another
    ///   start was claimed or its description was replaced, and nothing was written.
    /// - Throws: `PostgresError`.
    public func claimStart(_ starts: [PushToStart], for device: Device) async throws -> Bool {
        let result = try await pool.query(
            PostgresQuery(
                DeviceStatements.claimStart,
                device.playerID.shard.column,
                device.playerID,
                device.id,
                device.version,
                starts.map(\.at.postgres),
                starts.map { $0.subject.stored.adventure },
                starts.map { $0.subject.stored.party }
            )
        )
        return result.affectedRows == 1
    }
}

enum DeviceStatements {
    static let columns = """
        player_id, device_id, environment, locale, app_build, live_activities_enabled, frequent_pushes,
        push_to_start_token, alert_token, version, started_at, started_adventures, started_parties, registered_at, updated_at,
        alert_preferences, widget_token, alerted_at, alerted_adventures, alerted_sequences, follows_raids
        """

    /// Reads a player's devices, along the primary key.
    static let ofPlayer = Statement(
        "device.ofPlayer",
        "SELECT \(columns) FROM devices WHERE shard = $1 AND player_id = $2 ORDER BY registered_at, device_id"
    )

    /// Reads the devices of players, along the primary key.
    static let ofPlayers = Statement(
        "device.ofPlayers",
        "SELECT \(columns) FROM devices WHERE shard = ANY ($1) AND player_id = ANY ($2)"
    )

    /// Reads the devices of players on which activities can be started, along the primary key.
    static let startable = Statement(
        "device.startable",
        """
        SELECT \(columns) FROM devices
        WHERE shard = ANY ($1) AND player_id = ANY ($2)
            AND push_to_start_token IS NOT NULL AND live_activities_enabled
        ORDER BY player_id, registered_at, device_id
        """
    )

    /// Inserts or updates what an app says about a device.
    ///
    /// Without a change, a row that was written since `$12` stays.
    static let upsert = Statement(
        "device.upsert",
        """
        INSERT INTO devices AS d
            (shard, player_id, device_id, environment, locale, app_build, live_activities_enabled, frequent_pushes,
             push_to_start_token, alert_token, version, started_at, started_adventures, started_parties, registered_at, updated_at,
             alert_preferences, widget_token, follows_raids)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, '{}', '{}', '{}', $11, $11, $13, $14, $15)
        ON CONFLICT (shard, player_id, device_id) DO UPDATE
        SET environment = excluded.environment,
            locale = excluded.locale,
            app_build = excluded.app_build,
            live_activities_enabled = excluded.live_activities_enabled,
            frequent_pushes = excluded.frequent_pushes,
            push_to_start_token = excluded.push_to_start_token,
            alert_token = excluded.alert_token,
            alert_preferences = excluded.alert_preferences,
            widget_token = excluded.widget_token,
            follows_raids = excluded.follows_raids,
            widget_due_at = CASE WHEN excluded.widget_token IS NULL THEN NULL ELSE d.widget_due_at END,
            version = d.version + 1,
            updated_at = excluded.updated_at
        WHERE d.updated_at < $12
            OR (d.environment, d.locale, d.app_build, d.live_activities_enabled, d.frequent_pushes, d.push_to_start_token,
                d.alert_token, d.alert_preferences, d.widget_token, d.follows_raids)
            IS DISTINCT FROM
            (excluded.environment, excluded.locale, excluded.app_build, excluded.live_activities_enabled,
             excluded.frequent_pushes, excluded.push_to_start_token, excluded.alert_token,
             excluded.alert_preferences, excluded.widget_token, excluded.follows_raids)
        """
    )

    static let delete = Statement(
        "device.delete",
        "DELETE FROM devices WHERE shard = $1 AND player_id = $2 AND device_id = $3"
    )

    /// Finds the devices with a push-to-start token through the index on tokens, which are random; the newest
    /// registration comes first.
    static let withPushToStartToken = Statement(
        "device.withPushToStartToken",
        """
        SELECT player_id, device_id, updated_at FROM devices
        WHERE shard = ANY ($1) AND push_to_start_token = $2 AND environment = $3
        ORDER BY updated_at DESC, player_id, device_id
        LIMIT 100
        """
    )

    /// Finds the devices with an alert token through the index on tokens, which are random; the newest registration comes
    /// first.
    static let withAlertToken = Statement(
        "device.withAlertToken",
        """
        SELECT player_id, device_id, updated_at FROM devices
        WHERE shard = ANY ($1) AND alert_token = $2 AND environment = $3
        ORDER BY updated_at DESC, player_id, device_id
        LIMIT 100
        """
    )

    /// Finds the devices with a token of widgets through the index on tokens, which are random; the newest registration comes
    /// first.
    static let withWidgetToken = Statement(
        "device.withWidgetToken",
        """
        SELECT player_id, device_id, updated_at FROM devices
        WHERE shard = ANY ($1) AND widget_token = $2 AND environment = $3
        ORDER BY updated_at DESC, player_id, device_id
        LIMIT 100
        """
    )

    /// Clears a device's push-to-start token by primary key, if it is this one.
    static let clearPushToStartToken = Statement(
        "device.clearPushToStartToken",
        """
        UPDATE devices SET push_to_start_token = NULL, version = version + 1
        WHERE shard = $1 AND player_id = $2 AND device_id = $3 AND push_to_start_token = $4 AND environment = $5
        """
    )

    /// Clears a device's alert token by primary key, if it is this one.
    static let clearAlertToken = Statement(
        "device.clearAlertToken",
        """
        UPDATE devices SET alert_token = NULL, version = version + 1
        WHERE shard = $1 AND player_id = $2 AND device_id = $3 AND alert_token = $4 AND environment = $5
        """
    )

    /// Clears the token of a device's widgets by primary key, if it is this one.
    static let clearWidgetToken = Statement(
        "device.clearWidgetToken",
        """
        UPDATE devices SET widget_token = NULL, widget_due_at = NULL, version = version + 1
        WHERE shard = $1 AND player_id = $2 AND device_id = $3 AND widget_token = $4 AND environment = $5
        """
    )

    /// Deletes at most `$3` devices that were not described since `$2`, along their index, skipping locked rows.
    static let removeUnused = Statement(
        "device.removeUnused",
        """
        DELETE FROM devices
        WHERE shard = $1 AND (player_id, device_id) IN (
            SELECT d.player_id, d.device_id
            FROM devices AS d
            WHERE d.shard = $1 AND d.updated_at < $2
            ORDER BY d.updated_at
            LIMIT $3
            FOR UPDATE SKIP LOCKED
        )
        """
    )

    /// Stores the starts, if the device still has version `$4`.
    static let claimStart = Statement(
        "device.claimStart",
        """
        UPDATE devices
        SET version = version + 1, started_at = $5, started_adventures = $6, started_parties = $7
        WHERE shard = $1 AND player_id = $2 AND device_id = $3 AND version = $4
        """
    )

    static func decode(_ row: PostgresRow) throws -> Device {
        let (
            playerID, id, environment, locale, appBuild, isEnabled, isFrequent, pushToStartToken, alertToken, version,
            moments, adventures, parties, registeredAt, updatedAt, alertPreferences, widgetToken,
            alertMoments, alertAdventures, alertSequences, followsRaids
        ) = try row.decode(
            PlayerID.self,
            DeviceID.self,
            PushEnvironment.self,
            String?.self,
            String?.self,
            Bool.self,
            Bool.self,
            [UInt8]?.self,
            [UInt8]?.self,
            Int64.self,
            [PostgresTimestamp].self,
            [AdventureID].self,
            [PartyID].self,
            PostgresTimestamp.self,
            PostgresTimestamp.self,
            String?.self,
            [UInt8]?.self,
            [PostgresTimestamp].self,
            [AdventureID].self,
            [Int64].self,
            Bool.self
        )
        return Device(
            id: id,
            playerID: playerID,
            environment: environment,
            locale: locale,
            appBuild: appBuild,
            liveActivitiesEnabled: isEnabled,
            frequentPushesEnabled: isFrequent,
            followsRaids: followsRaids,
            pushToStartToken: pushToStartToken,
            alertToken: alertToken,
            widgetToken: widgetToken,
            alertPreferences: try AlertPreferences(stored: alertPreferences),
            starts: zip(zip(adventures, parties), moments).map {
                PushToStart(PushToStart.Subject(storedAs: $0.0, $0.1), at: Timestamp($1))
            },
            sentAlerts: zip(zip(alertAdventures, alertSequences), alertMoments).map {
                SentAlert(adventureID: $0.0, sequence: Int($0.1), at: Timestamp($1))
            },
            registeredAt: Timestamp(registeredAt),
            updatedAt: Timestamp(updatedAt),
            version: version
        )
    }
}

extension PushToStart.Subject {
    /// The identifiers in the row: of a raid, its own in place of both, which no adventure shares with its party.
    fileprivate var stored: (adventure: AdventureID, party: PartyID) {
        switch self {
        case .adventure(let id, let partyID): (id, partyID)
        case .raid(let id): (AdventureID(rawValue: id.rawValue), PartyID(rawValue: id.rawValue))
        }
    }

    fileprivate init(storedAs adventureID: AdventureID, _ partyID: PartyID) {
        let isRaid = adventureID.rawValue == partyID.rawValue
        self = isRaid ? .raid(RaidID(rawValue: adventureID.rawValue)) : .adventure(adventureID, partyID)
    }
}
