public import Encodings
public import GameCore
import PostgresClient

// Of a raid that ended long ago, the rounds are removed first, then the rest: its decisions, which are inputs to its
// fights, go with the outlines of these.

extension GameStore {
    /// Removes the rounds of raids that ended before a moment, in the shard of their home.
    /// - Parameters:
    ///   - moment: raids that ended before this time are concerned.
    ///   - shard: the shard.
    ///   - limit: the maximum number of rounds.
    /// - Returns: the number of rounds.
    /// - Throws: `PostgresError`.
    public func removeRaidRounds(endedBefore moment: Timestamp, in shard: Shard, limit: Int) async throws -> Int {
        try await pool.query(
            PostgresQuery(RaidRetentionStatements.rounds, shard.column, moment.postgres, Int64(limit))
        ).affectedRows
    }

    /// Removes raids that ended before a moment, and whose rounds were removed: those whose home is the shard, the shard's
    /// part in others, and the decisions in its log.
    /// - Parameters:
    ///   - moment: raids that ended before this time are removed, and the decisions that no fight which ended later can
    ///     have taken.
    ///   - shard: the shard.
    ///   - limit: the maximum number of rows of each kind.
    /// - Returns: the number of raids whose home is the shard, and whether there may be more to remove.
    /// - Throws: `PostgresError`.
    public func removeRaids(
        endedBefore moment: Timestamp,
        in shard: Shard,
        limit: Int
    ) async throws -> (raids: Int, hasMore: Bool) {
        try await pool.withTransaction { connection in
            let parameters = { (statement: Statement, moment: Timestamp) in
                PostgresQuery(statement, shard.column, moment.postgres, Int64(limit))
            }
            let found = try await connection.query(parameters(RaidRetentionStatements.ended, moment))
            let ids = try found.map { try $0.decode(RaidID.self) }
            let removals = [
                RaidRetentionStatements.decisions, RaidRetentionStatements.members, RaidRetentionStatements.raids,
            ]
            let counts = try await connection.pipeline(
                [
                    parameters(RaidRetentionStatements.parts, moment),
                    parameters(RaidRetentionStatements.entries, moment - RaidSchedule.maxDuration),
                ] + removals.map { PostgresQuery($0, shard.column, ids) },
                committing: true
            ).map(\.affectedRows)
            return (ids.count, ids.count == limit || counts[0] == limit || counts[1] == limit)
        }
    }
}

enum RaidRetentionStatements {
    /// Deletes at most `$3` rounds of raids that ended before `$2`, along the primary keys.
    static let rounds = Statement(
        "raidRetention.rounds",
        """
        DELETE FROM raid_history AS h
        WHERE h.shard = $1 AND (h.raid_id, h.round) IN (
            SELECT o.raid_id, o.round
            FROM raid_history AS o JOIN raids AS r ON r.shard = $1 AND r.raid_id = o.raid_id
            WHERE o.shard = $1 AND r.is_settled AND r.ended_at < $2
            LIMIT $3
        )
        """
    )

    /// Finds at most `$3` raids that ended before `$2` and have no rounds, along the primary keys.
    static let ended = Statement(
        "raidRetention.ended",
        """
        SELECT r.raid_id
        FROM raids AS r
        WHERE r.shard = $1 AND r.is_settled AND r.ended_at < $2
            AND NOT EXISTS (SELECT 1 FROM raid_history AS h WHERE h.shard = $1 AND h.raid_id = r.raid_id)
        LIMIT $3
        """
    )

    static let decisions = Statement(
        "raidRetention.decisions",
        "DELETE FROM raid_decisions WHERE shard = $1 AND raid_id = ANY ($2)"
    )

    static let members = Statement(
        "raidRetention.members",
        "DELETE FROM raid_members WHERE shard = $1 AND raid_id = ANY ($2)"
    )

    static let raids = Statement("raidRetention.raids", "DELETE FROM raids WHERE shard = $1 AND raid_id = ANY ($2)")

    /// Deletes a shard's part in at most `$3` raids that were to end before `$2`, with its standings, along the primary keys.
    static let parts = Statement(
        "raidRetention.parts",
        """
        WITH old AS (
            DELETE FROM raid_shards AS m
            WHERE m.shard = $1 AND m.raid_id IN (
                SELECT o.raid_id FROM raid_shards AS o WHERE o.shard = $1 AND o.is_over AND o.ends_at < $2 LIMIT $3
            )
            RETURNING m.raid_id
        ), removed AS (
            DELETE FROM raid_standings AS s WHERE s.shard = $1 AND s.raid_id IN (SELECT o.raid_id FROM old AS o)
        )
        SELECT raid_id FROM old
        """
    )

    /// Deletes at most `$3` decisions about raids that a shard's log took before `$2`, along the index on decisions.
    static let entries = Statement(
        "raidRetention.entries",
        """
        DELETE FROM log AS e
        WHERE e.shard = $1 AND e.position IN (
            SELECT o.position FROM log AS o WHERE o.shard = $1 AND o.kind = 'raid' AND o.at < $2 LIMIT $3
        )
        """
    )
}
