public import Encodings
public import GameCore
import PostgresClient

// A profile is stored with its player, and its name, hero and experience with each of the player's parties, too, in other
// shards. A change is stored with the player first, marked as pending. Then each party gets it, and the mark is removed once no request that
// had read the older profile can be in progress.

extension ShardTransaction {
    /// Returns a player of this shard, and locks the player's row; nil if there is none with this identifier.
    public func player(_ id: PlayerID) async throws -> Player? {
        try PlayerStatements.decode(
            try await connection.query(PostgresQuery(ProfileStatements.lock, shard.column, id)),
            id
        )
    }

    /// Records a player's new profile, which the player's parties do not show yet.
    public mutating func update(_ player: Player) {
        writes.append(
            PostgresQuery(
                ProfileStatements.update,
                shard.column,
                player.id,
                player.displayName,
                player.hero,
                player.version,
                now.postgres,
                player.isNamedInLeaderboards
            )
        )
    }
}

/// A change of a profile that some parties may not show yet.
public struct PendingProfileChange: Sendable, Hashable {
    /// The player.
    public let playerID: PlayerID
    /// When the profile was changed last.
    public let changedAt: Timestamp
}

extension GameStore {
    /// Returns whether a player is a member of a party with a running adventure, among some parties.
    public func hasRunningAdventure(_ playerID: PlayerID, among partyIDs: [PartyID]) async throws -> Bool {
        guard !partyIDs.isEmpty else { return false }
        let queries = partyIDs.map { PostgresQuery(PartyStatements.running, $0.shard.column, $0, playerID) }
        return try await pool.read(queries).contains { !$0.isEmpty }
    }

    /// Returns pending changes of profiles, by shard, then in the order of the players.
    /// - Parameters:
    ///   - moment: changes made at this time or later are left out.
    ///   - cursor: the last player of the previous page; nil for the first one.
    ///   - limit: the maximum number of changes.
    /// - Returns: the changes.
    /// - Throws: `PostgresError`.
    public func pendingProfileChanges(
        before moment: Timestamp,
        after cursor: PlayerID?,
        limit: Int
    ) async throws -> [PendingProfileChange] {
        let first = PlayerID(rawValue: .init(bytes: [UInt8](repeating: 0, count: 16)))
        let query = PostgresQuery(
            ProfileStatements.pending,
            Shard.all.map(\.column),
            moment.postgres,
            (cursor ?? first).shard.column,
            cursor ?? first,
            Int64(limit)
        )
        return try await pool.query(query).map { row in
            let (playerID, changedAt) = try row.decode(PlayerID.self, PostgresTimestamp.self)
            return PendingProfileChange(playerID: playerID, changedAt: Timestamp(changedAt))
        }
    }

    /// Records that all parties show a change, unless the profile was changed again.
    public func complete(_ change: PendingProfileChange) async throws {
        let id = change.playerID
        _ = try await pool.query(
            PostgresQuery(ProfileStatements.complete, id.shard.column, id, change.changedAt.postgres)
        )
    }
}

enum ProfileStatements {
    static let lock = Statement(
        "profile.lock",
        """
        SELECT \(PlayerStatements.columns) FROM players WHERE shard = $1 AND player_id = $2 FOR NO KEY UPDATE
        """
    )

    static let update = Statement(
        "profile.update",
        """
        UPDATE players
        SET display_name = $3, hero = $4, version = $5, profile_changed_at = $6, named_in_leaderboards = $7
        WHERE shard = $1 AND player_id = $2
        """
    )

    /// Reads at most `$5` pending changes after a cursor, along the partial index.
    static let pending = Statement(
        "profile.pending",
        """
        SELECT player_id, profile_changed_at FROM players
        WHERE shard = ANY ($1) AND profile_changed_at IS NOT NULL AND profile_changed_at < $2
            AND (shard, player_id) > ($3, $4)
        ORDER BY shard, player_id
        LIMIT $5
        """
    )

    static let complete = Statement(
        "profile.complete",
        """
        UPDATE players SET profile_changed_at = NULL
        WHERE shard = $1 AND player_id = $2 AND profile_changed_at = $3
        """
    )
}
