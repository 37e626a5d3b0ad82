public import Encodings
public import GameCore
import PostgresClient

/// A player in a list of players.
public struct PlayerSummary: Sendable, Hashable {
    /// The player.
    public let id: PlayerID
    /// The name.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroID
    /// The experience of all adventures.
    public let experience: Int
    /// When the player registered.
    public let registeredAt: Timestamp
}

extension GameStore {
    /// Returns the players of all shards whose name begins with a text, in upper or lower case as the database's locale has
    /// it, in the order of their names.
    public func players(withNamePrefix prefix: Name, limit: Int) async throws -> [PlayerID] {
        // No name has a noncharacter.
        let query = PostgresQuery(PlayerListStatements.named, prefix.text, prefix.text + "\u{10FFFF}", Int64(limit))
        return try await pool.query(query).map { try $0.decode(PlayerID.self) }
    }

    /// Returns the players with a device, newest description first.
    ///
    /// Apps choose the identifiers of devices, so several players may have one: a phone on which they took turns.
    public func players(withDevice id: DeviceID, limit: Int) async throws -> [PlayerID] {
        let query = PostgresQuery(PlayerListStatements.withDevice, id, Int64(limit))
        return try await pool.query(query).map { try $0.decode(PlayerID.self) }
    }

    /// Returns players by identifier, without missing ones.
    public func players(_ ids: [PlayerID]) async throws -> [PlayerID: PlayerSummary] {
        guard !ids.isEmpty else { return [:] }
        let rows = try await pool.query(PostgresQuery(PlayerListStatements.read, ids.map(\.shard.column), ids))
        let players = try rows.map { row in
            let (id, displayName, hero, experience, registeredAt) = try row.decode(
                PlayerID.self,
                String.self,
                HeroID.self,
                Int32.self,
                PostgresTimestamp.self
            )
            return PlayerSummary(
                id: id,
                displayName: displayName,
                hero: hero,
                experience: Int(experience),
                registeredAt: Timestamp(registeredAt)
            )
        }
        return Dictionary(players.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

enum PlayerListStatements {
    /// Reads at most `$3` players of all shards with names from `$1` to `$2`, along the index on names.
    ///
    /// On one machine this is one range of one index, whatever the number of shards; on a Citus cluster, one for each part of
    /// the table.
    static let named = Statement(
        "playerList.named",
        """
        SELECT player_id FROM players
        WHERE lower(display_name) COLLATE "C" >= lower($1) AND lower(display_name) COLLATE "C" < lower($2)
        ORDER BY lower(display_name) COLLATE "C", player_id
        LIMIT $3
        """
    )

    /// Reads at most `$2` players of all shards with a device, through the index on devices: as above.
    static let withDevice = Statement(
        "playerList.withDevice",
        "SELECT player_id FROM devices WHERE device_id = $1 ORDER BY updated_at DESC, player_id LIMIT $2"
    )

    /// Reads players by primary key.
    static let read = Statement(
        "playerList.read",
        """
        SELECT p.player_id, p.display_name, p.hero, p.experience, p.created_at
        FROM unnest($1::smallint[], $2::uuid[]) AS requested (shard, player_id)
        JOIN players AS p USING (shard, player_id)
        WHERE p.shard = ANY ($1)
        """
    )
}
