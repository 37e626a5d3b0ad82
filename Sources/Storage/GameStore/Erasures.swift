public import Encodings
public import GameCore
import PostgresClient

// A player's data is spread over several shards and tables. An erasure is recorded first and completed last, so that it
// is finished even if a step fails. Each step is idempotent.

extension GameStore {
    /// Records that a player is to be erased.
    ///
    /// Idempotent.
    public func recordErasure(of playerID: PlayerID, at now: Timestamp) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.record, playerID, now.postgres))
    }

    /// Returns players whose erasure was recorded before a moment and is not complete, oldest first.
    public func pendingErasures(recordedBefore moment: Timestamp, limit: Int) async throws -> [PlayerID] {
        try await pool.query(PostgresQuery(ErasureStatements.list, moment.postgres, Int64(limit)))
            .map { try $0.decode(PlayerID.self) }
    }

    /// Deletes a player's profile, after which the player can neither join nor create a party.
    public func deleteProfile(of playerID: PlayerID) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.deleteProfile, playerID.shard.column, playerID))
    }

    /// Deletes a player's bearer and push-to-start tokens.
    public func deleteTokens(of playerID: PlayerID) async throws {
        for statement in [ErasureStatements.deletePushToStart, ErasureStatements.deleteTokens] {
            _ = try await pool.query(PostgresQuery(statement, playerID))
        }
    }

    /// Deletes the list of a player's parties, and the record of the pending erasure.
    public func completeErasure(of playerID: PlayerID) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.deleteParties, playerID.shard.column, playerID))
        _ = try await pool.query(PostgresQuery(ErasureStatements.complete, playerID))
    }
}

extension ShardTransaction {
    /// Records the erasure of a player's personal data in this shard, except the identifier, which replays need.
    ///
    /// Activities keep their rows without token and language, so that references to them stay valid.
    public mutating func erase(_ playerID: PlayerID) {
        for statement in ErasureStatements.ofShard {
            writes.append(PostgresQuery(statement, shard.column, playerID))
        }
    }

    /// Records the erasure of a party's name, if the party is disbanded.
    public mutating func eraseName(ofDisbandedParty partyID: PartyID) {
        // Runs after the update of the party's row, since this transaction may disband the party.
        finalWrites.append(PostgresQuery(ErasureStatements.clearPartyName, shard.column, partyID))
    }
}

enum ErasureStatements {
    /// Inserts a pending erasure, keyed by the player.
    static let record = Statement(
        "erasure.record",
        "INSERT INTO erasures (player_id, requested_at) VALUES ($1, $2) ON CONFLICT (player_id) DO NOTHING"
    )

    /// Reads at most `$2` erasures, oldest first, from a table that holds only pending ones.
    static let list = Statement(
        "erasure.list",
        "SELECT player_id FROM erasures WHERE requested_at < $1 ORDER BY requested_at, player_id LIMIT $2"
    )

    static let complete = Statement("erasure.complete", "DELETE FROM erasures WHERE player_id = $1")

    static let deleteProfile = Statement(
        "erasure.deleteProfile",
        "DELETE FROM players WHERE shard = $1 AND player_id = $2"
    )

    static let deleteTokens = Statement("erasure.deleteTokens", "DELETE FROM player_tokens WHERE player_id = $1")

    static let deletePushToStart = Statement(
        "erasure.deletePushToStart",
        "DELETE FROM push_to_start WHERE player_id = $1"
    )

    static let deleteParties = Statement(
        "erasure.deleteParties",
        "DELETE FROM player_parties WHERE shard = $1 AND player_id = $2"
    )

    static let clearPartyName = Statement(
        "erasure.clearPartyName",
        "UPDATE parties SET name = '' WHERE shard = $1 AND party_id = $2 AND disbanded_at IS NOT NULL"
    )

    /// The statements that erase a player's data in one shard, each through the index on players or the primary key.
    static let ofShard = [
        Statement(
            "erasure.deleteDecisions",
            """
            DELETE FROM activity_decisions AS d
            USING activities AS a
            WHERE d.shard = $1 AND a.shard = $1 AND a.player_id = $2
                AND d.adventure_id = a.adventure_id AND d.activity_id = a.activity_id
            """
        ),
        Statement(
            "erasure.deleteRequestedPushes",
            """
            DELETE FROM requested_pushes AS p
            USING activities AS a
            WHERE p.shard = $1 AND a.shard = $1 AND a.player_id = $2
                AND p.adventure_id = a.adventure_id AND p.activity_id = a.activity_id
            """
        ),
        Statement(
            "erasure.clearPushTokens",
            "UPDATE activities SET push_token = '', locale = NULL WHERE shard = $1 AND player_id = $2"
        ),
        Statement(
            "erasure.deleteIdempotencyRecords",
            "DELETE FROM idempotency_keys WHERE shard = $1 AND player_id = $2"
        ),
        // Idempotency records of other players that show a party lose only the member: their requests must not be
        // repeated.
        Statement(
            "erasure.redactResponses",
            """
            UPDATE idempotency_keys
            SET body = jsonb_set(
                body::jsonb,
                '{members}',
                jsonb_path_query_array(
                    body::jsonb,
                    '$.members[*] ? (@.playerID != $player)',
                    ('{"player": "' || $2::uuid::text || '"}')::jsonb
                )
            )::text
            WHERE shard = $1 AND party_version IS NOT NULL AND strpos(body, $2::uuid::text) > 0
            """
        ),
    ]
}
