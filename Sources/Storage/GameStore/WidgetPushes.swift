public import Encodings
public import GameCore
import PostgresClient

// Pushes to widgets. A change of what a player's widgets show marks the player's devices as due, not before the time from
// which each may get its next push: so all changes until then are one push. A dispatcher claims due devices and sends the
// pushes. After a crash between the two the push is lost, and the widget shows the change with its next own reload.

/// A push to the widgets of a device, which one dispatcher has claimed.
public struct WidgetPush: Hashable, Sendable {
    /// The player.
    public let playerID: PlayerID
    /// The player's device.
    public let deviceID: DeviceID
    /// The APNs environment of the token.
    public let environment: PushEnvironment
    /// The bytes of the token.
    public let token: [UInt8]
}

extension GameStore {
    /// Returns the shards that have due pushes to widgets.
    /// - Parameters:
    ///   - shards: the shards to look in.
    ///   - environment: the APNs environment.
    ///   - now: the time.
    /// - Returns: the shards, without those on machines that do not respond.
    /// - Throws: `PostgresError`.
    public func shardsWithDueWidgets(
        among shards: [Shard] = Shard.all,
        in environment: PushEnvironment,
        at now: Timestamp
    ) async throws -> [Shard] {
        try await rows(of: shards) { shards in
            PostgresQuery(WidgetStatements.due, shards.map(\.column), environment, now.postgres)
        }.map { Shard(rawValue: UInt8(truncatingIfNeeded: try $0.decode(Int16.self))) }.sorted()
    }

    /// Marks a player's devices as due, which otherwise the change of the player's own progress does.
    public func markWidgets(of playerID: PlayerID, at now: Timestamp) async throws {
        for query in WidgetStatements.mark([playerID], in: playerID.shard, at: now) { _ = try await pool.query(query) }
    }

    /// Claims due pushes to widgets, each of which no other dispatcher gets.
    /// - Parameters:
    ///   - shard: the shard of the players.
    ///   - environment: the APNs environment.
    ///   - now: the time.
    ///   - next: the earliest time of the devices' next pushes.
    ///   - limit: the maximum number of pushes.
    /// - Returns: the pushes.
    /// - Throws: `PostgresError`.
    public func claimWidgetPushes(
        in shard: Shard,
        _ environment: PushEnvironment,
        at now: Timestamp,
        next: Timestamp,
        limit: Int
    ) async throws -> [WidgetPush] {
        try await pool.query(
            PostgresQuery(
                WidgetStatements.claim,
                shard.column,
                environment,
                now.postgres,
                next.postgres,
                Int64(limit)
            )
        ).map { row in
            let (playerID, deviceID, token) = try row.decode(PlayerID.self, DeviceID.self, [UInt8].self)
            return WidgetPush(playerID: playerID, deviceID: deviceID, environment: environment, token: token)
        }
    }

    /// Makes a push that did not arrive due again, from the time of the device's next push on.
    public func repeatWidgetPush(_ push: WidgetPush) async throws {
        _ = try await pool.query(query(WidgetStatements.repeat, for: push))
    }

    /// Removes the token of a push, if the device still has it.
    public func removeWidgetToken(of push: WidgetPush) async throws {
        _ = try await pool.query(query(DeviceStatements.clearWidgetToken, for: push))
    }

    private func query(_ statement: Statement, for push: WidgetPush) -> PostgresQuery {
        PostgresQuery(
            statement,
            push.playerID.shard.column,
            push.playerID,
            push.deviceID,
            push.token,
            push.environment
        )
    }
}

enum WidgetStatements {
    /// Marks the devices of players as due, along the primary key.
    static let mark = Statement(
        "widget.mark",
        """
        UPDATE devices SET widget_due_at = greatest($3, widget_free_at)
        WHERE shard = $1 AND player_id = ANY ($2) AND widget_token IS NOT NULL AND widget_due_at IS NULL
        """
    )

    /// Returns the statement that marks the devices of players as due; none without players.
    static func mark(_ players: Set<PlayerID>, in shard: Shard, at now: Timestamp) -> [PostgresQuery] {
        players.isEmpty ? [] : [PostgresQuery(mark, shard.column, players.sorted(), now.postgres)]
    }

    /// Reads the shards with due devices: however many they are, one row of each shard, from an index that has only
    /// devices that are, or will be, due.
    static let due = Statement(
        "widget.due",
        """
        SELECT s.shard
        FROM shards AS s
        WHERE s.shard = ANY ($1) AND EXISTS (
            SELECT FROM devices AS d
            WHERE d.shard = ANY ($1) AND d.shard = s.shard AND d.environment = $2 AND d.widget_due_at <= $3
        )
        """
    )

    /// Claims at most `$5` due devices along their index, skipping those that another dispatcher claims.
    ///
    /// Materialized, since PostgreSQL may evaluate a subquery several times, each time with the next devices.
    static let claim = Statement(
        "widget.claim",
        """
        WITH due AS MATERIALIZED (
            SELECT d.player_id, d.device_id
            FROM devices AS d
            WHERE d.shard = $1 AND d.environment = $2 AND d.widget_due_at <= $3
            ORDER BY d.widget_due_at
            LIMIT $5
            FOR UPDATE SKIP LOCKED
        )
        UPDATE devices SET widget_due_at = NULL, widget_free_at = $4
        WHERE shard = $1 AND (player_id, device_id) IN (SELECT player_id, device_id FROM due)
        RETURNING player_id, device_id, widget_token
        """
    )

    /// Makes a device due again by primary key, if it has this token.
    static let `repeat` = Statement(
        "widget.repeat",
        """
        UPDATE devices SET widget_due_at = widget_free_at
        WHERE shard = $1 AND player_id = $2 AND device_id = $3 AND widget_token = $4 AND environment = $5
            AND widget_due_at IS NULL
        """
    )
}
