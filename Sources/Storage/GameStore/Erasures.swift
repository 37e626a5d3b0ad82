public import Encodings
import Foundation
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

    /// Returns players whose erasure is not complete, the longest not attempted first.
    /// - Parameters:
    ///   - moment: erasures recorded at this time or later are left out.
    ///   - attempt: erasures attempted at this time or later are left out.
    ///   - limit: the maximum number of players.
    /// - Returns: the players.
    /// - Throws: `PostgresError`.
    public func pendingErasures(
        recordedBefore moment: Timestamp,
        attemptedBefore attempt: Timestamp,
        limit: Int
    ) async throws -> [PlayerID] {
        let query = PostgresQuery(ErasureStatements.list, moment.postgres, attempt.postgres, Int64(limit))
        return try await pool.query(query).map { try $0.decode(PlayerID.self) }
    }

    /// Records an attempt to complete an erasure, before it is made.
    public func recordErasureAttempt(of playerID: PlayerID, at now: Timestamp) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.attempt, playerID, now.postgres))
    }

    /// Returns when the oldest pending erasure was requested; nil if none is pending.
    public func oldestErasure() async throws -> Timestamp? {
        let moment = try await pool.query(PostgresQuery(ErasureStatements.oldest)).first?.decode(
            PostgresTimestamp?.self
        )
        return moment.flatMap { $0 }.map { Timestamp($0) }
    }

    /// Deletes a player's profile, after which the player can neither join nor create a party.
    ///
    /// The registration goes first, so that no repetition of it completes what is erased.
    public func deleteProfile(of playerID: PlayerID) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.deleteRegistrations, playerID))
        _ = try await pool.query(PostgresQuery(ErasureStatements.deleteProfile, playerID.shard.column, playerID))
    }

    /// Deletes a player's devices, Apple account, recovery codes and bearer tokens.
    public func deleteTokens(of playerID: PlayerID) async throws {
        _ = try await pool.query(PostgresQuery(ErasureStatements.deleteDevices, playerID.shard.column, playerID))
        for statement in [
            AppleAccountStatements.unlink, ErasureStatements.deleteRecoveryCodes, ErasureStatements.deleteTokens,
        ] {
            _ = try await pool.query(PostgresQuery(statement, playerID))
        }
    }

    /// Deletes the list of a player's parties, the used quotas, and the record of the pending erasure.
    public func completeErasure(of playerID: PlayerID) async throws {
        for statement in [ErasureStatements.deleteParties, ErasureStatements.deleteQuotas] {
            _ = try await pool.query(PostgresQuery(statement, playerID.shard.column, playerID))
        }
        _ = try await pool.query(PostgresQuery(ErasureStatements.complete, playerID))
    }
}

/// The last idempotency record of a batch.
public struct IdempotencyRecordCursor: Sendable, Hashable {
    let owner: PlayerID
    let key: String
}

// The rows of a shard are erased in batches, none of which holds the shard's lock: a batch locks only its own rows, for a
// few milliseconds. What a request in progress writes meanwhile is erased by a repetition.
extension GameStore {
    /// Returns the shards with activities or idempotency records of a player, in order.
    public func shards(withDataOf playerID: PlayerID) async throws -> [Shard] {
        let all = Shard.all.map(\.column)
        let rows = try await pool.read([
            PostgresQuery(ErasureStatements.shardsOfActivities, all, playerID),
            PostgresQuery(ErasureStatements.shardsOfRecords, all, playerID),
        ])
        let found = try rows.flatMap { try $0.map { try $0.decode(Int16.self) } }
        return Set(found.map { Shard(rawValue: UInt8(truncatingIfNeeded: $0)) }).sorted()
    }

    /// Erases a player's personal data in a shard, except the identifier, which replays need, and idempotency records of
    /// other players.
    ///
    /// Activities keep their rows without token and language, so that references to them stay valid.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - shard: the shard.
    ///   - batch: the maximum number of rows changed by a statement.
    /// - Throws: `PostgresError`.
    public func erase(_ playerID: PlayerID, in shard: Shard, batch: Int) async throws {
        for statement in ErasureStatements.ofShard {
            let query = PostgresQuery(statement, shard.column, playerID, Int64(batch))
            while try await pool.query(query).affectedRows == batch { try Task.checkCancellation() }
        }
    }

    /// Removes a member from the stored responses that show a party, also those to other players, along the index on
    /// parties.
    ///
    /// The records stay, because their requests must not be repeated. Call it after the player has left the party: a
    /// response that is stored later does not show the player.
    /// - Parameters:
    ///   - playerID: the former member.
    ///   - partyID: the party.
    ///   - cursor: the cursor of the previous batch; nil for the first one.
    ///   - batch: the maximum number of responses to read.
    /// - Returns: the cursor of the next batch; nil after the last one.
    /// - Throws: `PostgresError`.
    public func redactResponses(
        showing playerID: PlayerID,
        in partyID: PartyID,
        after cursor: IdempotencyRecordCursor? = nil,
        batch: Int
    ) async throws -> IdempotencyRecordCursor? {
        let query = PostgresQuery(
            ErasureStatements.redactResponses,
            partyID.shard.column,
            playerID,
            partyID,
            cursor?.owner ?? ErasureStatements.firstOwner,
            cursor?.key ?? "",
            Int64(batch)
        )
        return try await pool.query(query).first.map { row in
            let (owner, key) = try row.decode(PlayerID.self, String.self)
            return IdempotencyRecordCursor(owner: owner, key: key)
        }
    }
}

extension ShardTransaction {
    /// Records that a player of this shard is to be erased.
    ///
    /// Idempotent.
    public mutating func recordErasure(of playerID: PlayerID) {
        writes.append(PostgresQuery(ErasureStatements.record, playerID, now.postgres))
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

    /// Reads at most `$3` erasures, the longest not attempted first, from a table that holds only pending ones.
    static let list = Statement(
        "erasure.list",
        """
        SELECT player_id FROM erasures
        WHERE requested_at < $1 AND (attempted_at IS NULL OR attempted_at < $2)
        ORDER BY attempted_at NULLS FIRST, requested_at, player_id
        LIMIT $3
        """
    )

    static let attempt = Statement("erasure.attempt", "UPDATE erasures SET attempted_at = $2 WHERE player_id = $1")

    static let oldest = Statement("erasure.oldest", "SELECT min(requested_at) FROM erasures")

    static let complete = Statement("erasure.complete", "DELETE FROM erasures WHERE player_id = $1")

    static let deleteProfile = Statement(
        "erasure.deleteProfile",
        "DELETE FROM players WHERE shard = $1 AND player_id = $2"
    )

    static let deleteTokens = Statement("erasure.deleteTokens", "DELETE FROM player_tokens WHERE player_id = $1")

    static let deleteRecoveryCodes = Statement(
        "erasure.deleteRecoveryCodes",
        "DELETE FROM recovery_codes WHERE player_id = $1"
    )

    static let deleteRegistrations = Statement(
        "erasure.deleteRegistrations",
        "DELETE FROM registrations WHERE player_id = $1"
    )

    static let deleteDevices = Statement(
        "erasure.deleteDevices",
        "DELETE FROM devices WHERE shard = $1 AND player_id = $2"
    )

    static let deleteParties = Statement(
        "erasure.deleteParties",
        "DELETE FROM player_parties WHERE shard = $1 AND player_id = $2"
    )

    /// Deletes a player's quotas along the primary key: a shard has those of two days.
    static let deleteQuotas = Statement(
        "erasure.deleteQuotas",
        "DELETE FROM quotas WHERE shard = $1 AND player_id = $2"
    )

    static let clearPartyName = Statement(
        "erasure.clearPartyName",
        "UPDATE parties SET name = '' WHERE shard = $1 AND party_id = $2 AND disbanded_at IS NOT NULL"
    )

    /// Finds the shards with activities of a player, through the index on players.
    static let shardsOfActivities = Statement(
        "erasure.shardsOfActivities",
        "SELECT DISTINCT shard FROM activities WHERE shard = ANY ($1) AND player_id = $2"
    )

    /// Finds the shards with idempotency records of a player, by primary key.
    static let shardsOfRecords = Statement(
        "erasure.shardsOfRecords",
        "SELECT DISTINCT shard FROM idempotency_keys WHERE shard = ANY ($1) AND player_id = $2"
    )

    /// The statements that erase at most `$3` rows of a player's data in one shard, each through the index on players or
    /// the primary key.
    static let ofShard = [
        Statement(
            "erasure.deleteDecisions",
            """
            DELETE FROM activity_decisions
            WHERE shard = $1 AND (adventure_id, activity_id) IN (
                SELECT d.adventure_id, d.activity_id
                FROM activities AS a
                JOIN activity_decisions AS d
                    ON d.shard = $1 AND d.adventure_id = a.adventure_id AND d.activity_id = a.activity_id
                WHERE a.shard = $1 AND a.player_id = $2
                LIMIT $3
            )
            """
        ),
        Statement(
            "erasure.deleteReceipts",
            """
            DELETE FROM activity_receipts
            WHERE shard = $1 AND (adventure_id, activity_id) IN (
                SELECT r.adventure_id, r.activity_id
                FROM activities AS a
                JOIN activity_receipts AS r
                    ON r.shard = $1 AND r.adventure_id = a.adventure_id AND r.activity_id = a.activity_id
                WHERE a.shard = $1 AND a.player_id = $2
                LIMIT $3
            )
            """
        ),
        Statement(
            "erasure.deleteRequestedPushes",
            """
            DELETE FROM requested_pushes
            WHERE shard = $1 AND (adventure_id, activity_id) IN (
                SELECT p.adventure_id, p.activity_id
                FROM activities AS a
                JOIN requested_pushes AS p
                    ON p.shard = $1 AND p.adventure_id = a.adventure_id AND p.activity_id = a.activity_id
                WHERE a.shard = $1 AND a.player_id = $2
                LIMIT $3
            )
            """
        ),
        Statement(
            "erasure.clearPushTokens",
            """
            UPDATE activities SET push_token = '', locale = NULL, alert_preferences = NULL
            WHERE shard = $1 AND (adventure_id, activity_id) IN (
                SELECT a.adventure_id, a.activity_id
                FROM activities AS a
                WHERE a.shard = $1 AND a.player_id = $2 
                    AND (a.push_token <> '' OR a.locale IS NOT NULL OR a.alert_preferences IS NOT NULL)
                LIMIT $3
            )
            """
        ),
        Statement(
            "erasure.deleteIdempotencyRecords",
            """
            DELETE FROM idempotency_keys
            WHERE shard = $1 AND player_id = $2 AND key IN (
                SELECT k.key FROM idempotency_keys AS k WHERE k.shard = $1 AND k.player_id = $2 ORDER BY k.key LIMIT $3
            )
            """
        ),
    ]

    /// An owner of idempotency keys before all others.
    fileprivate static let firstOwner = PlayerID(rawValue: .init(bytes: [UInt8](repeating: 0, count: 16)))

    /// Removes the player `$2` from those of at most `$6` responses after a cursor that show the party `$3`, along the
    /// index on parties.
    ///
    /// Returns the last record if there may be more. Locks them in order, since two members may be erased at once.
    static let redactResponses = Statement(
        "erasure.redactResponses",
        """
        WITH page AS (
            SELECT k.player_id, k.key
            FROM idempotency_keys AS k
            WHERE k.shard = $1 AND k.party_id = $3 AND (k.player_id, k.key) > ($4, $5)
            ORDER BY k.player_id, k.key
            LIMIT $6
            FOR NO KEY UPDATE
        ), redacted AS (
            UPDATE idempotency_keys AS r
            SET body = jsonb_set(
                r.body::jsonb,
                '{members}',
                jsonb_path_query_array(
                    r.body::jsonb,
                    '$.members[*] ? (@.playerID != $player)',
                    ('{"player": "' || $2::uuid::text || '"}')::jsonb
                )
            )::text
            FROM page AS p
            WHERE r.shard = $1 AND r.player_id = p.player_id AND r.key = p.key
                AND strpos(r.body, $2::uuid::text) > 0
        )
        SELECT player_id, key FROM page ORDER BY player_id, key OFFSET $6 - 1
        """
    )
}
