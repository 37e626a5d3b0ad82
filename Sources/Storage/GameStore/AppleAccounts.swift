public import Encodings
public import GameCore
import PostgresClient

/// The outcome of linking an Apple account to a player.
public enum AppleAccountLink: Sendable, Hashable {
    /// The player has the account.
    case linked
    /// Another player has the account.
    case taken
    /// The player has another account.
    case otherAccount
}

extension GameStore {
    /// Returns the player who has linked an Apple account, by the account's SHA-256; nil if no player has.
    public func playerID(ofAppleAccountHash accountHash: [UInt8]) async throws -> PlayerID? {
        try await pool.query(PostgresQuery(AppleAccountStatements.find, accountHash)).first?.decode(PlayerID.self)
    }

    /// Returns when a player has linked an Apple account; nil if none is linked.
    public func appleAccountTime(of playerID: PlayerID) async throws -> Timestamp? {
        try await pool.query(PostgresQuery(AppleAccountStatements.ofPlayer, playerID)).first.map { row in
            Timestamp(try row.decode([UInt8].self, PostgresTimestamp.self).1)
        }
    }
}

extension ShardTransaction {
    /// Links an Apple account to a player of this shard, who has proven to own it.
    /// - Parameters:
    ///   - accountHash: the SHA-256 of the account.
    ///   - issuedAt: the time at which Apple issued the identity token: older tokens are of no use any more.
    ///   - playerID: the player.
    /// - Returns: the outcome; nothing is changed unless it is ``AppleAccountLink/linked``.
    /// - Throws: `PostgresError`.
    public func linkAppleAccount(
        _ accountHash: [UInt8],
        tokenIssuedAt issuedAt: Timestamp,
        to playerID: PlayerID
    ) async throws -> AppleAccountLink {
        // The lock of the shard keeps the player from linking two accounts at once.
        let current = try await connection.query(PostgresQuery(AppleAccountStatements.ofPlayer, playerID)).first
        if let (hash, _) = try current?.decode([UInt8].self, PostgresTimestamp.self), hash != accountHash {
            return .otherAccount
        }
        let query = PostgresQuery(
            AppleAccountStatements.link,
            accountHash,
            playerID,
            now.postgres,
            issuedAt.postgres
        )
        return try await connection.query(query).affectedRows == 1 ? .linked : .taken
    }

    /// Records the removal of the Apple account of a player of this shard.
    public mutating func unlinkAppleAccount(of playerID: PlayerID) {
        writes.append(PostgresQuery(AppleAccountStatements.unlink, playerID))
    }

    /// Uses an identity token up: neither this token nor an older one of the account is accepted again.
    /// - Parameters:
    ///   - accountHash: the SHA-256 of the account.
    ///   - issuedAt: the time at which Apple issued the token.
    ///   - playerID: the player.
    /// - Returns: whether the player still has the account, and no token of this age was used.
    /// - Throws: `PostgresError`.
    public func useAppleToken(
        ofAccountHash accountHash: [UInt8],
        issuedAt: Timestamp,
        by playerID: PlayerID
    ) async throws -> Bool {
        let query = PostgresQuery(AppleAccountStatements.use, accountHash, playerID, issuedAt.postgres)
        return try await connection.query(query).affectedRows == 1
    }
}

enum AppleAccountStatements {
    static let find = Statement(
        "appleAccount.find",
        "SELECT player_id FROM apple_accounts WHERE account_hash = $1"
    )

    /// Reads a player's account through the index on players.
    static let ofPlayer = Statement(
        "appleAccount.ofPlayer",
        "SELECT account_hash, linked_at FROM apple_accounts WHERE player_id = $1"
    )

    /// Inserts an account, or keeps it if the same player has it; changes no row if another player has it.
    static let link = Statement(
        "appleAccount.link",
        """
        INSERT INTO apple_accounts AS a (account_hash, player_id, linked_at, token_issued_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_hash) DO UPDATE
        SET token_issued_at = greatest(a.token_issued_at, excluded.token_issued_at)
        WHERE a.player_id = excluded.player_id
        """
    )

    static let unlink = Statement("appleAccount.unlink", "DELETE FROM apple_accounts WHERE player_id = $1")

    static let use = Statement(
        "appleAccount.use",
        """
        UPDATE apple_accounts SET token_issued_at = $3
        WHERE account_hash = $1 AND player_id = $2 AND token_issued_at < $3
        """
    )
}
