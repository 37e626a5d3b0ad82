public import Encodings
public import GameCore
import PostgresClient

// What remains of an adventure or of a disbanded party after the removal of its details is removed later, in the same way:
// in small batches without a shard's lock. Nothing can be read, replayed or exported of it afterwards.

extension GameStore {
    /// Removes adventures that ended before a moment, with their inputs, if their details were removed.
    ///
    /// An activity that was registered after that is removed, too, but adventures with live activities are skipped, and so
    /// are those with inputs that no dispatcher has read.
    /// - Parameters:
    ///   - moment: adventures that ended before this time are removed.
    ///   - shard: the shard.
    ///   - limit: the maximum number of adventures, which keeps the transaction short.
    ///   - lockTimeout: how long each statement waits for a locked row.
    /// - Returns: the number of adventures.
    /// - Throws: `PostgresError`.
    public func removeOutlines(
        ofAdventuresEndedBefore moment: Timestamp,
        in shard: Shard,
        limit: Int,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Int {
        let removals = [
            RetentionStatements.decisions, RetentionStatements.activities, RetentionStatements.requestedPushes,
            OutlineStatements.inputs, OutlineStatements.adventures,
        ]
        return try await removeOutlines(
            PostgresQuery(OutlineStatements.endedAdventures, shard.column, moment.postgres, Int64(limit)),
            removals,
            in: shard,
            AdventureID.self,
            lockTimeout: lockTimeout
        )
    }

    /// Removes parties that were disbanded before a moment, if their leftovers and all their adventures were removed, and
    /// their part in campaigns.
    /// - Parameters:
    ///   - moment: parties that were disbanded before this time are removed.
    ///   - shard: the shard.
    ///   - limit: the maximum number of parties.
    ///   - lockTimeout: how long each statement waits for a locked row.
    /// - Returns: the number of parties.
    /// - Throws: `PostgresError`.
    public func removeOutlines(
        ofPartiesDisbandedBefore moment: Timestamp,
        in shard: Shard,
        limit: Int,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Int {
        try await removeOutlines(
            PostgresQuery(OutlineStatements.disbandedParties, shard.column, moment.postgres, Int64(limit)),
            [OutlineStatements.campaignFights, OutlineStatements.parties],
            in: shard,
            PartyID.self,
            lockTimeout: lockTimeout
        )
    }

    /// Removes parties that players left before a moment from the players' lists.
    /// - Parameters:
    ///   - moment: parties that were left before this time are removed.
    ///   - shard: the shard of the players.
    ///   - limit: the maximum number of rows.
    /// - Returns: the number of rows.
    /// - Throws: `PostgresError`.
    public func removeParties(leftBefore moment: Timestamp, in shard: Shard, limit: Int) async throws -> Int {
        try await pool.query(
            PostgresQuery(OutlineStatements.leftParties, shard.column, moment.postgres, Int64(limit))
        ).affectedRows
    }

    /// Locks the rows that a query finds, and removes them and what refers to them in one transaction.
    private func removeOutlines<ID: EntityID & PostgresDecodable & PostgresEncodable>(
        _ found: PostgresQuery,
        _ removals: [Statement],
        in shard: Shard,
        _ type: ID.Type,
        lockTimeout: Duration
    ) async throws -> Int {
        try await pool.withTransaction { connection in
            let rows = try await connection.pipeline([LeaseStatements.setLockTimeout(lockTimeout), found])
            let ids = try rows[1].map { try $0.decode(ID.self) }
            guard !ids.isEmpty else { return 0 }
            _ = try await connection.pipeline(
                removals.map { PostgresQuery($0, shard.column, ids) },
                committing: true
            )
            return ids.count
        }
    }
}

enum OutlineStatements {
    /// Locks at most `$3` adventures without details, along the index on outlines, skipping locked rows.
    static let endedAdventures = Statement(
        "outline.endedAdventures",
        """
        SELECT a.adventure_id
        FROM adventures AS a
        WHERE a.shard = $1 AND a.details_removed_at IS NOT NULL AND a.ended_at < $2
            AND NOT EXISTS (
                SELECT 1 FROM activities AS v
                WHERE v.shard = $1 AND v.adventure_id = a.adventure_id AND v.state = 'live'
            )
            AND NOT EXISTS (
                SELECT 1 FROM log AS e
                WHERE e.shard = $1 AND e.adventure_id = a.adventure_id AND e.kind = 'input'
                    AND e.position > (SELECT l.checkpoint FROM leases AS l WHERE l.shard = $1)
            )
        ORDER BY a.ended_at
        LIMIT $3
        FOR UPDATE SKIP LOCKED
        """
    )

    /// Deletes the inputs of adventures through their partial index.
    static let inputs = Statement(
        "outline.inputs",
        "DELETE FROM log WHERE shard = $1 AND adventure_id = ANY ($2) AND kind = 'input'"
    )

    static let adventures = Statement(
        "outline.adventures",
        "DELETE FROM adventures WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    /// Locks at most `$3` disbanded parties without leftovers, along the index on outlines, skipping locked rows.
    static let disbandedParties = Statement(
        "outline.disbandedParties",
        """
        SELECT p.party_id
        FROM parties AS p
        WHERE p.shard = $1 AND p.leftovers_removed_at IS NOT NULL AND p.disbanded_at < $2
            AND NOT EXISTS (SELECT 1 FROM adventures AS a WHERE a.shard = $1 AND a.party_id = p.party_id)
            AND NOT EXISTS (SELECT 1 FROM members AS m WHERE m.shard = $1 AND m.party_id = p.party_id)
        ORDER BY p.disbanded_at
        LIMIT $3
        FOR UPDATE SKIP LOCKED
        """
    )

    /// Deletes the fights of parties in campaigns, through the index on parties.
    static let campaignFights = Statement(
        "outline.campaignFights",
        "DELETE FROM campaign_fights WHERE shard = $1 AND party_id = ANY ($2)"
    )

    static let parties = Statement("outline.parties", "DELETE FROM parties WHERE shard = $1 AND party_id = ANY ($2)")

    /// Deletes at most `$3` parties from the lists of players who left them before `$2`, along the index on old ones.
    static let leftParties = Statement(
        "outline.leftParties",
        """
        DELETE FROM player_parties
        WHERE shard = $1 AND (player_id, party_id) IN (
            SELECT o.player_id, o.party_id
            FROM player_parties AS o
            WHERE o.shard = $1 AND o.left_at < $2
            ORDER BY o.left_at
            LIMIT $3
            FOR UPDATE SKIP LOCKED
        )
        """
    )
}
