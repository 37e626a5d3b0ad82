public import Encodings
public import GameCore
import PostgresClient

// A recovery code is used up when its player first uses the token that was issued for it, not before: the response with the
// token may be lost. Until then the code and its successor are valid, and no other one is.

extension GameStore {
    /// Returns the player with a recovery code, by the code's SHA-256; nil if no player has it.
    public func playerID(ofRecoveryCodeHash codeHash: [UInt8]) async throws -> PlayerID? {
        try await pool.query(PostgresQuery(RecoveryCodeStatements.find, codeHash)).first?.decode(PlayerID.self)
    }

    /// Returns when each of a player's recovery codes was issued: one, or two until the first use of a token.
    public func recoveryCodeTimes(of playerID: PlayerID) async throws -> [Timestamp] {
        try await pool.query(PostgresQuery(RecoveryCodeStatements.list, playerID)).map {
            Timestamp(try $0.decode(PostgresTimestamp.self))
        }
    }
}

extension ShardTransaction {
    /// Records a token and a recovery code that are issued for another code of a player of this shard.
    ///
    /// Codes and tokens are changed in the order in which the first use of a token changes them: tokens first.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - codeHash: the SHA-256 of the code that was presented.
    ///   - tokenHash: the SHA-256 of the new token.
    ///   - newCodeHash: the SHA-256 of the new code.
    /// - Returns: whether the presented code is valid; nothing is recorded otherwise.
    /// - Throws: `PostgresError`.
    public mutating func recover(
        _ playerID: PlayerID,
        withCodeHash codeHash: [UInt8],
        tokenHash: [UInt8],
        newCodeHash: [UInt8]
    ) async throws -> Bool {
        _ = try await connection.query(PostgresQuery(RecoveryCodeStatements.lockUnusedToken, playerID))
        let found = try await connection.query(PostgresQuery(RecoveryCodeStatements.lock, codeHash, playerID))
        guard !found.isEmpty else { return false }
        addToken(tokenHash, of: playerID, recoveryCodeHash: newCodeHash)
        writes.append(PostgresQuery(RecoveryCodeStatements.deleteOthers, playerID, codeHash))
        writes.append(PostgresQuery(RecoveryCodeStatements.insert, newCodeHash, playerID, now.postgres))
        return true
    }

    /// Records a recovery code that replaces all others of a player of this shard at once.
    public mutating func replaceRecoveryCode(of playerID: PlayerID, withHash codeHash: [UInt8]) {
        writes.append(PostgresQuery(RecoveryCodeStatements.deleteOthers, playerID, codeHash))
        writes.append(PostgresQuery(RecoveryCodeStatements.insert, codeHash, playerID, now.postgres))
    }
}

enum RecoveryCodeStatements {
    static let find = Statement(
        "recoveryCode.find",
        "SELECT player_id FROM recovery_codes WHERE code_hash = $1"
    )

    /// Reads a player's codes through the index on players.
    static let list = Statement(
        "recoveryCode.list",
        "SELECT created_at FROM recovery_codes WHERE player_id = $1 ORDER BY created_at"
    )

    static let insert = Statement(
        "recoveryCode.insert",
        """
        INSERT INTO recovery_codes (code_hash, player_id, created_at) VALUES ($1, $2, $3)
        ON CONFLICT (code_hash) DO NOTHING
        """
    )

    /// Locks a player's unused token that was issued for a code, through the index on players.
    static let lockUnusedToken = Statement(
        "recoveryCode.lockUnusedToken",
        "SELECT 1 FROM player_tokens WHERE player_id = $1 AND is_fresh AND recovery_code_hash IS NOT NULL FOR UPDATE"
    )

    static let lock = Statement(
        "recoveryCode.lock",
        "SELECT 1 FROM recovery_codes WHERE code_hash = $1 AND player_id = $2 FOR UPDATE"
    )

    /// Ends a player's codes except `$2`, through the index on players.
    static let deleteOthers = Statement(
        "recoveryCode.deleteOthers",
        "DELETE FROM recovery_codes WHERE player_id = $1 AND code_hash <> $2"
    )

    /// Ends a player's codes except `$2`, unless that one was replaced itself.
    static let confirm = Statement(
        "recoveryCode.confirm",
        """
        DELETE FROM recovery_codes
        WHERE player_id = $1 AND code_hash <> $2
            AND EXISTS (SELECT FROM recovery_codes AS c WHERE c.code_hash = $2)
        """
    )
}
