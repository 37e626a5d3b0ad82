public import Encodings
public import GameCore
public import GameLog
import PostgresClient

/// A player in a leaderboard.
public struct LeaderboardEntry: Sendable, Hashable {
    /// The rank, from 1; players with the same score have the same rank.
    public let rank: Int
    /// The player.
    public let playerID: PlayerID
    /// The player's name; nil if the player does not want it to be shown.
    public let displayName: String?
    /// The player's hero.
    public let hero: HeroID
    /// The experience of the player's heroes, from which the level follows.
    public let experience: Int
    /// The score in the period.
    public let score: Int
}

/// A part of a leaderboard.
public struct LeaderboardPage: Sendable {
    /// The players with the best scores, at most `Leaderboard.topCount`.
    public let top: [LeaderboardEntry]
    /// A player with the neighbours, the best first; empty for a player without a score, and without a player.
    public let around: [LeaderboardEntry]
}

extension GameStore {
    /// Returns the top of a leaderboard, and a player with the neighbours.
    ///
    /// Ranks are exact at the top. Elsewhere they follow from the numbers of players by score, see `ScoreHistogram`, some
    /// seconds ago.
    /// - Parameters:
    ///   - edition: the season or week.
    ///   - playerID: the player; nil for the top only.
    /// - Returns: the page.
    /// - Throws: `PostgresError`.
    public func leaderboard(_ edition: LeaderboardEdition, around playerID: PlayerID?) async throws -> LeaderboardPage {
        let (board, period, endsAt) = (edition.board, edition.period, edition.endsAt.postgres)
        var queries = [PostgresQuery(LeaderboardStatements.top, board, period, endsAt)]
        if let playerID {
            let shard = playerID.shard.column
            queries.append(PostgresQuery(LeaderboardStatements.own, shard, playerID, board, period, endsAt))
        }
        let rows = try await pool.read(queries)
        let top = try rows[0].map(LeaderboardStatements.decode)
        // Exact ranks of scores at the top.
        var ranks: [Int: Int] = [:]
        for (index, row) in top.enumerated() where ranks[row.score] == nil { ranks[row.score] = index + 1 }
        var around: [LeaderboardStatements.Row] = []
        if let playerID, let score = try rows.last?.first.map({ try $0.decode(Int32.self) }) {
            let neighbours = try await pool.read([
                PostgresQuery(LeaderboardStatements.above, board, period, endsAt, score, playerID),
                PostgresQuery(LeaderboardStatements.below, board, period, endsAt, score, playerID),
            ])
            let above = try neighbours[0].map(LeaderboardStatements.decode)
            let below = try neighbours[1].map(LeaderboardStatements.decode)
            around = Array(above.reversed())
            around.append((playerID: playerID, score: Int(score)))
            around += below
            let histogram = try await histograms.value(of: edition) { try await self.histogram(of: edition) }
            for row in around where ranks[row.score] == nil {
                // A score that is not at the top is below all that are.
                ranks[row.score] = max(histogram.rank(of: row.score), top.count + 1)
            }
        }
        let players = try await self.players(Set((top + around).map { $0.playerID }))
        func entries(_ rows: [LeaderboardStatements.Row]) -> [LeaderboardEntry] {
            rows.compactMap { row in
                guard let player = players[row.playerID], let rank = ranks[row.score] else { return nil }
                return LeaderboardEntry(
                    rank: rank,
                    playerID: row.playerID,
                    displayName: player.displayName,
                    hero: player.hero,
                    experience: player.experience,
                    score: row.score
                )
            }
        }
        return LeaderboardPage(top: entries(top), around: entries(around))
    }

    /// Returns the player at the top of each current leaderboard that has any.
    /// - Throws: `PostgresError`.
    public func leaders(at now: Timestamp) async throws -> [LeaderboardEdition: PlayerID] {
        let editions = Leaderboard.allCases.flatMap { board in
            LeaderboardPeriod.allCases.map { LeaderboardEdition(board: board, period: $0, containing: now) }
        }
        var leaders: [LeaderboardEdition: PlayerID] = [:]
        for edition in editions {
            let (board, period, endsAt) = (edition.board, edition.period, edition.endsAt.postgres)
            let rows = try await pool.query(PostgresQuery(LeaderboardStatements.leader, board, period, endsAt))
            leaders[edition] = try rows.first?.decode(PlayerID.self)
        }
        return leaders
    }

    /// Returns how many players have which scores.
    private func histogram(of edition: LeaderboardEdition) async throws -> ScoreHistogram {
        let query = PostgresQuery(
            LeaderboardStatements.histogram,
            Shard.all.map(\.column),
            edition.board,
            edition.period,
            edition.endsAt.postgres
        )
        return ScoreHistogram(
            Dictionary(
                uniqueKeysWithValues: try await pool.read([query])[0].map { row in
                    let (bucket, players) = try row.decode(Int32.self, Int64.self)
                    return (Int(bucket), Int(players))
                }
            )
        )
    }

    /// Returns what a leaderboard shows of players, without those who do not exist any more.
    private func players(_ ids: Set<PlayerID>) async throws -> [PlayerID: (
        displayName: String?, hero: HeroID, experience: Int
    )] {
        let ids = ids.sorted()
        guard !ids.isEmpty else { return [:] }
        let rows = try await pool.query(
            PostgresQuery(LeaderboardStatements.players, ids.map(\.shard.column), ids)
        )
        return Dictionary(
            uniqueKeysWithValues: try rows.map { row in
                let (id, name, hero, experience) = try row.decode(
                    PlayerID.self,
                    String?.self,
                    HeroID.self,
                    Int32.self
                )
                return (id, (displayName: name, hero: hero, experience: Int(experience)))
            }
        )
    }

    /// Removes scores of periods that ended before a moment, and their numbers of players.
    /// - Parameters:
    ///   - moment: periods that ended before this time are removed.
    ///   - shard: the shard of the players.
    ///   - limit: the maximum number of scores.
    /// - Returns: the number of scores.
    /// - Throws: `PostgresError`.
    public func removeScores(endedBefore moment: Timestamp, in shard: Shard, limit: Int) async throws -> Int {
        let removed = try await pool.query(
            PostgresQuery(LeaderboardStatements.removeScores, shard.column, moment.postgres, Int64(limit))
        ).affectedRows
        if removed < limit {
            _ = try await pool.query(
                PostgresQuery(LeaderboardStatements.removeBuckets, shard.column, moment.postgres)
            )
        }
        return removed
    }
}

enum LeaderboardStatements {
    /// A row of a leaderboard, before its rank is known.
    typealias Row = (playerID: PlayerID, score: Int)

    /// Reads names, unless they are hidden, heroes and experience of players by primary key.
    static let players = Statement(
        "leaderboard.players",
        """
        SELECT player_id, CASE WHEN named_in_leaderboards THEN display_name END, hero, experience
        FROM unnest($1::smallint[], $2::uuid[]) AS requested (shard, player_id)
        JOIN players AS p USING (shard, player_id)
        WHERE p.shard = ANY ($1)
        """
    )

    /// Reads the best players of all shards, along the index on ranks.
    ///
    /// The limit is a literal here and below: the planner would expect a tenth of the table for a parameter.
    static let top = Statement(
        "leaderboard.top",
        """
        SELECT player_id, score FROM leaderboard_scores
        WHERE board = $1 AND period = $2 AND ends_at = $3
        ORDER BY score DESC, player_id DESC
        LIMIT \(Leaderboard.topCount)
        """
    )

    /// Reads the best player of all shards, along the index on ranks.
    static let leader = Statement(
        "leaderboard.leader",
        """
        SELECT player_id FROM leaderboard_scores
        WHERE board = $1 AND period = $2 AND ends_at = $3
        ORDER BY score DESC, player_id DESC
        LIMIT 1
        """
    )

    /// Reads the players just above one, the nearest first, along the index on ranks.
    static let above = Statement(
        "leaderboard.above",
        """
        SELECT player_id, score FROM leaderboard_scores
        WHERE board = $1 AND period = $2 AND ends_at = $3 AND (score, player_id) > ($4, $5)
        ORDER BY score, player_id
        LIMIT \(Leaderboard.neighbourCount)
        """
    )

    /// Reads the players just below one, the nearest first, along the index on ranks.
    static let below = Statement(
        "leaderboard.below",
        """
        SELECT player_id, score FROM leaderboard_scores
        WHERE board = $1 AND period = $2 AND ends_at = $3 AND (score, player_id) < ($4, $5)
        ORDER BY score DESC, player_id DESC
        LIMIT \(Leaderboard.neighbourCount)
        """
    )

    /// Reads a player's score by primary key.
    static let own = Statement(
        "leaderboard.own",
        """
        SELECT score FROM leaderboard_scores
        WHERE shard = $1 AND player_id = $2 AND board = $3 AND period = $4 AND ends_at = $5
        """
    )

    /// Adds up the numbers of players by bucket, along the primary key.
    static let histogram = Statement(
        "leaderboard.histogram",
        """
        SELECT bucket, sum(players)
        FROM leaderboard_buckets
        WHERE shard = ANY ($1) AND board = $2 AND period = $3 AND ends_at = $4
        GROUP BY bucket
        """
    )

    /// Inserts scores, or updates them by primary key.
    static let setScores = Statement(
        "leaderboard.setScores",
        """
        INSERT INTO leaderboard_scores (shard, player_id, board, period, ends_at, score)
        SELECT s.shard, u.player_id, u.board, u.period, u.ends_at, u.score
        FROM shards AS s,
            unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::integer[])
                AS u (player_id, board, period, ends_at, score)
        WHERE s.shard = $1
        ON CONFLICT (shard, player_id, board, period, ends_at) DO UPDATE SET score = excluded.score
        """
    )

    /// Changes numbers of players, in the order of the primary key, so that two transactions never wait for each other.
    static let countPlayers = Statement(
        "leaderboard.countPlayers",
        """
        INSERT INTO leaderboard_buckets (shard, ends_at, period, board, bucket, players)
        SELECT s.shard, u.ends_at, u.period, u.board, u.bucket, u.players
        FROM shards AS s,
            unnest($2::timestamptz[], $3::text[], $4::text[], $5::integer[], $6::integer[])
                AS u (ends_at, period, board, bucket, players)
        WHERE s.shard = $1
        ORDER BY u.ends_at, u.period, u.board, u.bucket
        ON CONFLICT (shard, ends_at, period, board, bucket)
            DO UPDATE SET players = leaderboard_buckets.players + excluded.players
        """
    )

    /// Deletes a player's scores along the primary key.
    static let deleteScores = Statement(
        "leaderboard.deleteScores",
        """
        DELETE FROM leaderboard_scores
        WHERE shard = $1 AND player_id = $2
        RETURNING player_id, board, period, ends_at, score
        """
    )

    /// Deletes at most `$3` scores of periods that ended before `$2`, along the index on ends.
    static let removeScores = Statement(
        "leaderboard.removeScores",
        """
        DELETE FROM leaderboard_scores
        WHERE shard = $1 AND (player_id, board, period, ends_at) IN (
            SELECT o.player_id, o.board, o.period, o.ends_at
            FROM leaderboard_scores AS o
            WHERE o.shard = $1 AND o.ends_at < $2
            ORDER BY o.ends_at
            LIMIT $3
            FOR UPDATE SKIP LOCKED
        )
        """
    )

    /// Deletes the numbers of players of periods that ended before `$2`, along the primary key.
    static let removeBuckets = Statement(
        "leaderboard.removeBuckets",
        "DELETE FROM leaderboard_buckets WHERE shard = $1 AND ends_at < $2"
    )

    static func set(_ scores: [ProgressChange.ScoreKey: Int], in shard: Shard) -> PostgresQuery {
        let scores = scores.sorted { $0.key.playerID < $1.key.playerID }
        return PostgresQuery(
            setScores,
            shard.column,
            scores.map(\.key.playerID),
            scores.map(\.key.edition.board),
            scores.map(\.key.edition.period),
            scores.map(\.key.edition.endsAt.postgres),
            scores.map { Int32($0.value) }
        )
    }

    static func count(_ buckets: [ProgressChange.BucketKey: Int], in shard: Shard) -> PostgresQuery {
        let buckets = Array(buckets)
        return PostgresQuery(
            countPlayers,
            shard.column,
            buckets.map(\.key.edition.endsAt.postgres),
            buckets.map(\.key.edition.period),
            buckets.map(\.key.edition.board),
            buckets.map { Int32($0.key.bucket) },
            buckets.map { Int32($0.value) }
        )
    }

    /// Decodes a row of a leaderboard.
    static func decode(_ row: PostgresRow) throws -> Row {
        let (id, score) = try row.decode(PlayerID.self, Int32.self)
        return (playerID: id, score: Int(score))
    }
}
