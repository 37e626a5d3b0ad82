public import Encodings
public import GameCore
import PostgresClient

// What is stored of a player lives in many homes. An erasure is noted first and closed last, so that it is finished by
// somebody whatever happens in between; each step may be done again.

extension GameStore {
    /// Notes that a player is to be erased; noting it again changes nothing.
    public func noteErasure(of playerID: PlayerID, at now: Timestamp) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.note, playerID, now.postgres))
    }

    /// Players whose erasure was asked for before a moment and is not closed, the longest waiting first.
    public func erasures(askedForBefore moment: Timestamp, limit: Int) async throws -> [PlayerID] {
        try await pool.query(PostgresQuery(ErasureStatements.list, moment.postgres, Int64(limit)))
            .map { try $0.decode(PlayerID.self) }
    }

    /// Forgets a player's name and hero: nobody can join or found a party as this player from then on.
    public func forgetProfile(of playerID: PlayerID) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.forgetProfile, playerID.shard.column, playerID))
    }

    /// Forgets a player's tokens, the bearer's and the phone's.
    public func forgetTokens(of playerID: PlayerID) async throws {
        for statement in [ErasureStatements.forgetPushToStart, ErasureStatements.forgetTokens] {
            _ = try await pool.query(PostgresQuery(statement, playerID))
        }
    }

    /// Forgets in which parties a player was, and that something was to be erased.
    public func closeErasure(of playerID: PlayerID) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.forgetParties, playerID.shard.column, playerID))
        _ = try await pool.query(PostgresQuery(ErasureStatements.close, playerID))
    }
}

extension ShardTransaction {
    /// Records that nothing personal of a player is to stay in this shard but the bare identifier, which replays need.
    ///
    /// Activities keep their rows, without token and language, so that what refers to them stays true.
    public mutating func forget(_ playerID: PlayerID) {
        for statement in ErasureStatements.ofShard {
            writes.append(PostgresQuery(statement, shard.column, playerID))
        }
    }

    /// Records that a party is to lose its name, if it is disbanded.
    public mutating func forgetName(ofDisbanded partyID: PartyID) {
        // After the party's own row: it may be disbanded by this very transaction.
        closings.append(PostgresQuery(ErasureStatements.forgetPartyName, shard.column, partyID))
    }
}

enum ErasureStatements {
    static let note = Statement(
        "erasure.note",
        "INSERT INTO erasures (player_id, asked_at) VALUES ($1, $2) ON CONFLICT (player_id) DO NOTHING"
    )

    static let list = Statement(
        "erasure.list",
        "SELECT player_id FROM erasures WHERE asked_at < $1 ORDER BY asked_at, player_id LIMIT $2"
    )

    static let close = Statement("erasure.close", "DELETE FROM erasures WHERE player_id = $1")

    static let forgetProfile = Statement(
        "erasure.forgetProfile",
        "DELETE FROM players WHERE shard = $1 AND player_id = $2"
    )

    static let forgetTokens = Statement("erasure.forgetTokens", "DELETE FROM player_tokens WHERE player_id = $1")

    static let forgetPushToStart = Statement(
        "erasure.forgetPushToStart",
        "DELETE FROM push_to_start WHERE player_id = $1"
    )

    static let forgetParties = Statement(
        "erasure.forgetParties",
        "DELETE FROM player_parties WHERE shard = $1 AND player_id = $2"
    )

    static let forgetPartyName = Statement(
        "erasure.forgetPartyName",
        "UPDATE parties SET name = '' WHERE shard = $1 AND party_id = $2 AND disbanded_at IS NOT NULL"
    )

    static let ofShard = [
        Statement(
            "erasure.forgetDecisions",
            """
            DELETE FROM activity_decisions AS d
            USING activities AS a
            WHERE d.shard = $1 AND a.shard = $1 AND a.player_id = $2
                AND d.adventure_id = a.adventure_id AND d.activity_id = a.activity_id
            """
        ),
        Statement(
            "erasure.forgetAskedPushes",
            """
            DELETE FROM asked_pushes AS p
            USING activities AS a
            WHERE p.shard = $1 AND a.shard = $1 AND a.player_id = $2
                AND p.adventure_id = a.adventure_id AND p.activity_id = a.activity_id
            """
        ),
        Statement(
            "erasure.forgetPushTokens",
            "UPDATE activities SET push_token = '', locale = NULL WHERE shard = $1 AND player_id = $2"
        ),
        Statement(
            "erasure.forgetAnswers",
            "DELETE FROM idempotency_keys WHERE shard = $1 AND player_id = $2"
        ),
        // Others' answers that show a party keep all but the member: what they answer must not be done again.
        Statement(
            "erasure.forgetInAnswers",
            """
            UPDATE idempotency_keys
            SET answer = jsonb_set(
                answer::jsonb,
                '{members}',
                jsonb_path_query_array(
                    answer::jsonb,
                    '$.members[*] ? (@.playerID != $player)',
                    ('{"player": "' || $2::uuid::text || '"}')::jsonb
                )
            )::text
            WHERE shard = $1 AND party_version IS NOT NULL AND strpos(answer, $2::uuid::text) > 0
            """
        ),
    ]
}
