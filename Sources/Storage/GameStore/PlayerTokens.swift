import Cryptography
public import Encodings
public import Foundation
public import GameCore
import PostgresClient

/// The identifier of a player's bearer token, which is no secret: it follows from the token's hash and does not reveal it.
public struct TokenID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from its UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }

    /// Creates the identifier of the token with a hash: a UUID of version 8 (RFC 9562, section 5.8).
    public init(ofTokenHash tokenHash: [UInt8]) {
        var bytes = Array(SHA256.digest(of: Array("identifier of the token ".utf8) + tokenHash).prefix(16))
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        self.init(rawValue: UUID(bytes: bytes))
    }
}

/// A player's valid bearer token, without its secret.
public struct StoredToken: Sendable, Hashable {
    /// The identifier.
    public let id: TokenID
    /// When the token was issued.
    public let issuedAt: Timestamp
    /// When the token was used last, to a day; nil if it was never used.
    public let lastUsedAt: Timestamp?
    /// The SHA-256 of the token.
    let hash: [UInt8]
}

extension GameStore {
    /// The maximum number of tokens of a player: more than a person has devices.
    public static let maxTokens = 20

    /// Returns a player's tokens, the newest first.
    public func tokens(of playerID: PlayerID) async throws -> [StoredToken] {
        try PlayerTokenStatements.decode(
            try await pool.query(PostgresQuery(PlayerTokenStatements.list, playerID))
        )
    }

    func findToken(_ tokenHash: [UInt8]) -> PostgresQuery {
        PostgresQuery(PlayerStatements.findToken, tokenHash, clock.now?().postgres)
    }

    /// Records the first use of a token: revokes those that it replaces, and ends the recovery code that it was issued for.
    /// - Returns: whether the token is still valid: it may have been replaced since it was read.
    func confirmToken(_ tokenHash: [UInt8], of playerID: PlayerID, at now: PostgresTimestamp) async throws -> Bool {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(PostgresQuery(PlayerStatements.confirmToken, tokenHash, now))
            guard let (isFirstUse, codeHash) = try rows.first?.decode(Bool.self, [UInt8]?.self) else { return false }
            if isFirstUse {
                _ = try await connection.query(
                    PostgresQuery(PlayerTokenStatements.revokeOldest, playerID, Int64(Self.maxTokens))
                )
            }
            if let codeHash {
                _ = try await connection.query(PostgresQuery(RecoveryCodeStatements.confirm, playerID, codeHash))
            }
            return true
        }
    }

    /// Records that a token is in use.
    ///
    /// The request goes on if that fails: the next one tries again.
    func noteUse(ofToken tokenHash: [UInt8], at now: PostgresTimestamp) async {
        _ = try? await pool.query(PostgresQuery(PlayerTokenStatements.noteUse, tokenHash, now))
    }

    /// Revokes all tokens of a player except one.
    public func revokeTokens(of playerID: PlayerID, exceptTokenHash tokenHash: [UInt8]) async throws {
        _ = try await pool.query(PostgresQuery(PlayerTokenStatements.revokeOthers, playerID, tokenHash))
    }
}

extension ShardTransaction {
    /// Returns the tokens of a player of this shard, the newest first.
    public func tokens(of playerID: PlayerID) async throws -> [StoredToken] {
        try PlayerTokenStatements.decode(
            try await connection.query(PostgresQuery(PlayerTokenStatements.list, playerID))
        )
    }

    /// Records another token of a player, by its SHA-256.
    ///
    /// A token that was issued before for the same one, or also for none, and never used is revoked. The first use of the
    /// token leaves the player's other tokens valid, except the longest unused ones beyond ``GameStore/maxTokens``.
    /// - Parameters:
    ///   - tokenHash: the SHA-256 of the token.
    ///   - playerID: the player.
    ///   - replacedHash: the SHA-256 of the token that the first use of the token revokes; nil for none.
    ///   - recoveryCodeHash: the SHA-256 of the recovery code that the first use of the token leaves as the only one; nil
    ///     to leave the codes as they are.
    public mutating func addToken(
        _ tokenHash: [UInt8],
        of playerID: PlayerID,
        replacing replacedHash: [UInt8]? = nil,
        recoveryCodeHash: [UInt8]? = nil
    ) {
        writes.append(
            PostgresQuery(
                PlayerStatements.addToken,
                tokenHash,
                playerID,
                now.postgres,
                replacedHash,
                recoveryCodeHash
            )
        )
    }

    /// Records the revocation of all tokens of a player.
    public mutating func revokeTokens(of playerID: PlayerID) {
        writes.append(PostgresQuery(ErasureStatements.deleteTokens, playerID))
    }

    /// Records the revocation of a token.
    public mutating func revoke(_ token: StoredToken, of playerID: PlayerID) {
        writes.append(PostgresQuery(PlayerTokenStatements.revoke, token.hash, playerID))
    }
}

extension PlayerStatements {
    /// Reads a token by primary key, whether its use is to be noted, and the time: `$2` or the database's.
    static let findToken = Statement(
        "player.findToken",
        """
        SELECT player_id, is_fresh,
            last_used_at IS NULL OR last_used_at < coalesce($2, statement_timestamp()) - interval '1 day',
            coalesce($2, statement_timestamp())
        FROM player_tokens
        WHERE token_hash = $1
        """
    )

    /// Revokes the token that another one replaces, on the first use of that one; all others for one of an older version.
    ///
    /// A later use revokes none, since another token may have been issued in between. Returns whether it is the first use,
    /// and no row if the token does not exist any more: it may have been replaced since it was read.
    static let confirmToken = Statement(
        "player.confirmToken",
        """
        WITH found AS (
            SELECT player_id FROM player_tokens WHERE token_hash = $1 FOR UPDATE
        ), used AS (
            UPDATE player_tokens SET is_fresh = false, last_used_at = $2
            WHERE token_hash = $1 AND is_fresh
            RETURNING player_id, replaced_hash, keeps_others, recovery_code_hash
        ), ended AS (
            DELETE FROM player_tokens AS t
            USING used AS u
            WHERE t.player_id = u.player_id AND t.token_hash <> $1
                AND (t.token_hash = u.replaced_hash OR NOT u.keeps_others)
        )
        SELECT u.player_id IS NOT NULL, u.recovery_code_hash
        FROM found AS f LEFT JOIN used AS u ON u.player_id = f.player_id
        """
    )

    /// Inserts an unused token and deletes those that were issued for the same one, through the index on players.
    static let addToken = Statement(
        "player.addToken",
        """
        WITH unused AS (
            DELETE FROM player_tokens WHERE player_id = $2 AND is_fresh AND replaced_hash IS NOT DISTINCT FROM $4
        )
        INSERT INTO player_tokens
            (token_hash, player_id, created_at, is_fresh, replaced_hash, keeps_others, recovery_code_hash)
        VALUES ($1, $2, $3, true, $4, true, $5)
        """
    )
}

enum PlayerTokenStatements {
    /// Reads a player's tokens through the index on players.
    static let list = Statement(
        "playerToken.list",
        """
        SELECT token_hash, created_at, last_used_at FROM player_tokens
        WHERE player_id = $1
        ORDER BY created_at DESC, token_hash
        """
    )

    static let noteUse = Statement(
        "playerToken.noteUse",
        "UPDATE player_tokens SET last_used_at = $2 WHERE token_hash = $1"
    )

    /// Revokes a player's tokens beyond the `$2` that were used last, through the index on players.
    static let revokeOldest = Statement(
        "playerToken.revokeOldest",
        """
        DELETE FROM player_tokens
        WHERE player_id = $1 AND token_hash IN (
            SELECT t.token_hash FROM player_tokens AS t
            WHERE t.player_id = $1
            ORDER BY coalesce(t.last_used_at, t.created_at) DESC, t.token_hash
            OFFSET $2
        )
        """
    )

    static let revoke = Statement(
        "playerToken.revoke",
        "DELETE FROM player_tokens WHERE token_hash = $1 AND player_id = $2"
    )

    /// Revokes a player's tokens except `$2`, through the index on players.
    static let revokeOthers = Statement(
        "playerToken.revokeOthers",
        "DELETE FROM player_tokens WHERE player_id = $1 AND token_hash <> $2"
    )

    static func decode(_ rows: PostgresRows) throws -> [StoredToken] {
        try rows.map { row in
            let (hash, issuedAt, lastUsedAt) = try row.decode(
                [UInt8].self,
                PostgresTimestamp.self,
                PostgresTimestamp?.self
            )
            return StoredToken(
                id: TokenID(ofTokenHash: hash),
                issuedAt: Timestamp(issuedAt),
                lastUsedAt: lastUsedAt.map { Timestamp($0) },
                hash: hash
            )
        }
    }
}
