public import Encodings
public import GameCore
public import GameLog
import PostgresClient

// What an adventure brought its players is stored with its end, in the party's shard, as pending awards. Then the shard of
// each player gets them in a transaction of its own, which leaves a row in the player's history, and they are removed. After a
// crash between the two, the row of the history keeps the award from being applied again. Such a row is kept for months, and
// a pending award is read every second.

extension GameStore {
    /// Returns awards that their players may not have yet, by shard, then by adventure and player.
    /// - Parameters:
    ///   - cursor: the last award of the previous page; nil for the first one.
    ///   - limit: the maximum number of awards.
    /// - Returns: the awards, without those on machines that do not respond.
    /// - Throws: `PostgresError`.
    public func pendingAwards(after cursor: Award?, limit: Int) async throws -> [Award] {
        let (adventure, player) = (cursor?.adventureID ?? .first, cursor?.playerID ?? .first)
        return try await rows(of: Shard.all) { shards in
            PostgresQuery(
                AwardStatements.pending,
                shards.map(\.column),
                adventure.shard.column,
                adventure,
                player,
                Int64(limit)
            )
        }.map(AwardStatements.decode)
    }

    /// Gives players of one shard their awards: history, progress and leaderboards, each award once.
    ///
    /// Idempotent. Players who do not exist any more get nothing.
    /// - Parameters:
    ///   - awards: the awards.
    ///   - shard: the shard of their players.
    ///   - now: the time of the change.
    ///   - isCurrent: asked once the database has responded: whether it has had no time for a failover since the awards were
    ///     read. With a failover it may have lost the ends that brought them.
    /// - Returns: the players whose parties do not show the progress, in order. It is marked as a pending change of their
    ///   profiles. Nil if the awards are not current, and were not given.
    /// - Throws: `PostgresError`.
    public func apply(
        _ awards: [Award],
        in shard: Shard,
        at now: Timestamp,
        ifCurrent isCurrent: () -> Bool = { true }
    ) async throws -> [PlayerID]? {
        try await pool.withTransaction { connection in
            let ids = Set(awards.map(\.playerID)).sorted()
            let rows = try await connection.pipeline([
                PostgresQuery(ProgressStatements.lock, shard.column, ids),
                PostgresQuery(ProgressStatements.known, shard.column, ids, awards.map(\.adventureID)),
                PostgresQuery(ProgressStatements.scores, shard.column, ids),
                PostgresQuery(ProgressStatements.inParties, shard.column, ids),
            ])
            guard isCurrent() else { return nil }
            let players = Dictionary(uniqueKeysWithValues: try rows[0].map(ProgressStatements.decode))
            let known = Set(
                try rows[1].map { row in
                    let (playerID, adventureID) = try row.decode(PlayerID.self, AdventureID.self)
                    return AwardKey(playerID: playerID, adventureID: adventureID)
                }
            )
            let new = awards.filter { players[$0.playerID] != nil && !known.contains(AwardKey($0)) }
            guard !new.isEmpty else { return [] }
            let scores = Dictionary(uniqueKeysWithValues: try rows[2].map(ProgressStatements.decodeScore))
            let inSeveral = Set(try rows[3].map { try $0.decode(PlayerID.self) })
            let change = ProgressChange(adding: new, to: players, scores: scores)
            let behind = Set(
                new.filter {
                    // The party in which the experience was gained shows it already.
                    inSeveral.contains($0.playerID)
                        || change.players[$0.playerID]?.experience != $0.reachedExperience
                }.map(\.playerID)
            )
            _ = try await connection.pipeline(
                ProgressStatements.queries(new, change, behind: behind, in: shard, at: now)
                    + WidgetStatements.mark(change.shown(since: players), in: shard, at: now),
                committing: true
            )
            return behind.sorted()
        }
    }

    /// Removes pending awards, which their players have.
    public func remove(_ awards: [Award]) async throws {
        for (shard, awards) in Dictionary(grouping: awards, by: \.adventureID.shard).sorted(by: { $0.key < $1.key }) {
            _ = try await pool.query(
                PostgresQuery(
                    AwardStatements.remove,
                    shard.column,
                    awards.map(\.adventureID),
                    awards.map(\.playerID)
                )
            )
        }
    }

    /// Erases a player's history and scores.
    /// - Parameters:
    ///   - playerID: the player, whose profile is erased, so that nothing is added meanwhile.
    ///   - batch: the maximum number of rows of the history that a statement deletes.
    /// - Throws: `PostgresError`.
    public func eraseProgress(of playerID: PlayerID, batch: Int) async throws {
        let shard = playerID.shard
        try await pool.withTransaction { connection in
            let rows = try await connection.query(
                PostgresQuery(LeaderboardStatements.deleteScores, shard.column, playerID)
            )
            let scores = try rows.map { row in
                let (key, score) = try ProgressStatements.decodeScore(row)
                return (edition: key.edition, score: score)
            }
            guard !scores.isEmpty else { return }
            let change = ProgressChange(removing: scores)
            _ = try await connection.query(LeaderboardStatements.count(change.buckets, in: shard))
        }
        let query = PostgresQuery(ProgressStatements.deleteHistory, shard.column, playerID, Int64(batch))
        while try await pool.query(query).affectedRows == batch { try Task.checkCancellation() }
    }

    /// Removes the adventures that ended before a moment from players' histories.
    /// - Parameters:
    ///   - moment: adventures that ended before this time are removed.
    ///   - shard: the shard of the players.
    ///   - limit: the maximum number of rows.
    /// - Returns: the number of rows.
    /// - Throws: `PostgresError`.
    public func removeHistory(endedBefore moment: Timestamp, in shard: Shard, limit: Int) async throws -> Int {
        try await pool.query(
            PostgresQuery(ProgressStatements.removeHistory, shard.column, moment.postgres, Int64(limit))
        ).affectedRows
    }
}

extension AdventureEnd {
    /// What the adventure brought its players.
    var awards: [Award] {
        zip(adventure.heroes, gainedExperience).map { hero, experience in
            Award(
                adventureID: id,
                playerID: hero.playerID,
                partyID: partyID,
                kind: adventure.kind,
                scene: adventure.region?.rawValue ?? adventure.boss?.id.rawValue ?? "",
                outcome: outcome,
                hero: hero.id,
                experience: experience,
                reachedExperience: hero.experience,
                bosses: outcome == .bossDefeated ? 1 : 0,
                startedAt: startedAt,
                endedAt: at
            )
        }
    }
}

private struct AwardKey: Hashable {
    let playerID: PlayerID
    let adventureID: AdventureID

    init(playerID: PlayerID, adventureID: AdventureID) {
        self.playerID = playerID
        self.adventureID = adventureID
    }

    init(_ award: Award) { self.init(playerID: award.playerID, adventureID: award.adventureID) }
}

extension EntityID {
    /// An identifier before all others.
    fileprivate static var first: Self { Self(rawValue: .init(bytes: [UInt8](repeating: 0, count: 16))) }
}

enum AwardStatements {
    /// The columns of an award, pending or in a player's history.
    static let columns =
        "adventure_id, player_id, party_id, kind, scene, outcome, hero, experience, reached, bosses, started_at, ended_at"

    /// Selects awards of the shard `$1` from arrays.
    static let rows = """
        SELECT s.shard, u.adventure_id, u.player_id, u.party_id, u.kind, u.scene, u.outcome, u.hero, u.experience, u.reached,
            u.bosses, u.started_at, u.ended_at
        FROM shards AS s,
            unnest(
                $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[],
                $10::integer[], $11::integer[], $12::timestamptz[], $13::timestamptz[]
            ) AS u (\(columns))
        WHERE s.shard = $1
        """

    static let insert = Statement(
        "award.insert",
        """
        INSERT INTO awards (shard, \(columns))
        \(rows)
        ON CONFLICT (shard, adventure_id, player_id) DO NOTHING
        """
    )

    /// Reads at most `$5` pending awards after a cursor, along the primary key.
    static let pending = Statement(
        "award.pending",
        """
        SELECT \(columns) FROM awards
        WHERE shard = ANY ($1) AND (shard, adventure_id, player_id) > ($2, $3, $4)
        ORDER BY shard, adventure_id, player_id
        LIMIT $5
        """
    )

    /// Deletes awards by primary key.
    static let remove = Statement(
        "award.remove",
        """
        DELETE FROM awards AS a
        USING unnest($2::uuid[], $3::uuid[]) AS u (adventure_id, player_id)
        WHERE a.shard = $1 AND a.adventure_id = u.adventure_id AND a.player_id = u.player_id
        """
    )

    /// Returns the statement that stores pending awards of a shard's adventures; none without awards.
    static func insert(_ awards: [Award], in shard: Shard) -> [PostgresQuery] {
        awards.isEmpty ? [] : [query(insert, awards, in: shard)]
    }

    static func query(_ statement: Statement, _ awards: [Award], in shard: Shard) -> PostgresQuery {
        PostgresQuery(
            statement,
            shard.column,
            awards.map(\.adventureID),
            awards.map(\.playerID),
            awards.map(\.partyID),
            awards.map(\.kind),
            awards.map(\.scene),
            awards.map(\.outcome),
            awards.map(\.hero),
            awards.map { Int32($0.experience) },
            awards.map { Int32($0.reachedExperience) },
            awards.map { Int32($0.bosses) },
            awards.map(\.startedAt.postgres),
            awards.map(\.endedAt.postgres)
        )
    }

    /// Decodes a row of ``columns``.
    static func decode(_ row: PostgresRow) throws -> Award {
        let (
            adventureID, playerID, partyID, kind, scene, outcome, hero, experience, reached, bosses, startedAt, endedAt
        ) = try row.decode(
            AdventureID.self,
            PlayerID.self,
            PartyID.self,
            AdventureKind?.self,
            String.self,
            AdventureOutcome?.self,
            HeroID.self,
            Int32.self,
            Int32.self,
            Int32.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self
        )
        return Award(
            adventureID: adventureID,
            playerID: playerID,
            partyID: partyID,
            kind: kind,
            scene: scene,
            outcome: outcome,
            hero: hero,
            experience: Int(experience),
            reachedExperience: Int(reached),
            bosses: Int(bosses),
            startedAt: Timestamp(startedAt),
            endedAt: Timestamp(endedAt)
        )
    }
}
