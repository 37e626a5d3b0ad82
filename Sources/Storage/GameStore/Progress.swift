import Encodings
public import GameCore
public import GameLog
import PostgresClient

// The history of a player, and the statements that change a player's progress.

extension GameStore {
    /// Returns the ended adventures of a player, those that started last first.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - cursor: the last adventure of the previous page; nil for the first one.
    ///   - limit: the maximum number of adventures.
    /// - Returns: the adventures.
    /// - Throws: `PostgresError`.
    public func history(of playerID: PlayerID, after cursor: AdventureID?, limit: Int) async throws -> [Award] {
        let last = AdventureID(rawValue: .init(bytes: [UInt8](repeating: 255, count: 16)))
        let query = PostgresQuery(
            ProgressStatements.history,
            playerID.shard.column,
            playerID,
            cursor ?? last,
            Int64(limit)
        )
        return try await pool.query(query).map(AwardStatements.decode)
    }

    /// Returns a player's scores in all seasons and weeks that are stored.
    public func scores(of playerID: PlayerID) async throws -> [(edition: LeaderboardEdition, score: Int)] {
        let query = PostgresQuery(ProgressStatements.scores, playerID.shard.column, [playerID])
        return try await pool.query(query).map { row in
            let (key, score) = try ProgressStatements.decodeScore(row)
            return (key.edition, score)
        }
    }
}

enum ProgressStatements {
    /// Locks players by primary key, in order, and reads their progress.
    static let lock = Statement(
        "progress.lock",
        """
        SELECT player_id, experience, bosses_defeated FROM players
        WHERE shard = $1 AND player_id = ANY ($2)
        ORDER BY player_id
        FOR NO KEY UPDATE
        """
    )

    /// Reads which adventures `$3` are in the histories of players, by primary key.
    static let known = Statement(
        "progress.known",
        """
        SELECT player_id, adventure_id FROM player_adventures
        WHERE shard = $1 AND player_id = ANY ($2) AND adventure_id = ANY ($3)
        """
    )

    /// Reads the scores of players along the primary key.
    static let scores = Statement(
        "progress.scores",
        """
        SELECT player_id, board, period, ends_at, score FROM leaderboard_scores
        WHERE shard = $1 AND player_id = ANY ($2)
        ORDER BY player_id, board, period, ends_at
        """
    )

    /// Reads which players may be in several parties, through the index on left parties.
    static let inParties = Statement(
        "progress.inParties",
        """
        SELECT player_id FROM player_parties
        WHERE shard = $1 AND player_id = ANY ($2) AND left_at IS NULL
        GROUP BY player_id
        HAVING count(*) > 1
        """
    )

    static let insertHistory = Statement(
        "progress.insertHistory",
        """
        INSERT INTO player_adventures (shard, \(AwardStatements.columns))
        \(AwardStatements.rows)
        """
    )

    /// Updates the progress of players by primary key, and marks it as a pending change of the profiles in `$5`.
    static let update = Statement(
        "progress.update",
        """
        UPDATE players AS p
        SET experience = u.experience, bosses_defeated = u.bosses_defeated, version = p.version + 1,
            profile_changed_at = CASE WHEN u.is_behind THEN $6 ELSE p.profile_changed_at END
        FROM unnest($2::uuid[], $3::integer[], $4::integer[], $5::boolean[])
            AS u (player_id, experience, bosses_defeated, is_behind)
        WHERE p.shard = $1 AND p.player_id = u.player_id
        """
    )

    /// Reads at most `$4` adventures of a player before `$3`, along the primary key.
    static let history = Statement(
        "progress.history",
        """
        SELECT \(AwardStatements.columns) FROM player_adventures
        WHERE shard = $1 AND player_id = $2 AND adventure_id < $3 AND kind IS NOT NULL
        ORDER BY adventure_id DESC
        LIMIT $4
        """
    )

    /// Deletes at most `$3` rows of a player's history by primary key.
    static let deleteHistory = Statement(
        "progress.deleteHistory",
        """
        DELETE FROM player_adventures
        WHERE shard = $1 AND player_id = $2 AND adventure_id IN (
            SELECT o.adventure_id FROM player_adventures AS o WHERE o.shard = $1 AND o.player_id = $2 LIMIT $3
        )
        """
    )

    /// Deletes at most `$3` adventures from histories that ended before `$2`, along the index on ends.
    static let removeHistory = Statement(
        "progress.removeHistory",
        """
        DELETE FROM player_adventures
        WHERE shard = $1 AND (player_id, adventure_id) IN (
            SELECT o.player_id, o.adventure_id
            FROM player_adventures AS o
            WHERE o.shard = $1 AND o.ended_at < $2
            ORDER BY o.ended_at
            LIMIT $3
            FOR UPDATE SKIP LOCKED
        )
        """
    )

    /// Returns the statements that store awards and what they change.
    static func queries(
        _ awards: [Award],
        _ change: ProgressChange,
        behind: Set<PlayerID>,
        in shard: Shard,
        at now: Timestamp
    ) -> [PostgresQuery] {
        let players = change.players.sorted { $0.key < $1.key }
        var queries = [
            AwardStatements.query(insertHistory, awards, in: shard),
            PostgresQuery(
                update,
                shard.column,
                players.map(\.key),
                players.map { Int32($0.value.experience) },
                players.map { Int32($0.value.bossesDefeated) },
                players.map { behind.contains($0.key) },
                now.postgres
            ),
        ]
        if !change.scores.isEmpty { queries.append(LeaderboardStatements.set(change.scores, in: shard)) }
        if !change.buckets.isEmpty { queries.append(LeaderboardStatements.count(change.buckets, in: shard)) }
        return queries
    }

    /// Decodes a row of ``lock``.
    static func decode(_ row: PostgresRow) throws -> (PlayerID, PlayerProgress) {
        let (id, experience, bosses) = try row.decode(PlayerID.self, Int32.self, Int32.self)
        return (id, PlayerProgress(experience: Int(experience), bossesDefeated: Int(bosses)))
    }

    /// Decodes a row of ``scores``.
    static func decodeScore(_ row: PostgresRow) throws -> (ProgressChange.ScoreKey, Int) {
        let (id, board, period, endsAt, score) = try row.decode(
            PlayerID.self,
            Leaderboard.self,
            LeaderboardPeriod.self,
            PostgresTimestamp.self,
            Int32.self
        )
        let edition = LeaderboardEdition(board: board, period: period, endsAt: Timestamp(endsAt))
        return (ProgressChange.ScoreKey(playerID: id, edition: edition), Int(score))
    }
}
