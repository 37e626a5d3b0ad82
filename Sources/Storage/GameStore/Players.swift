public import Encodings
public import GameCore
public import GameLog
import PostgresClient

/// A registered user of the app.
public struct Player: Sendable {
    /// The identifier.
    public let id: PlayerID
    /// The name, 1 to 30 characters.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroID

    /// Creates a player.
    public init(id: PlayerID, displayName: String, hero: HeroID) {
        self.id = id
        self.displayName = displayName
        self.hero = hero
    }
}

extension GameStore {
    /// Stores a new player and the hash of the player's token.
    ///
    /// The two are stored in different places with two statements. A crash between them leaves a player without a
    /// token; the caller gets no response and registers again.
    /// - Parameters:
    ///   - player: the player.
    ///   - tokenHash: the SHA-256 of the token.
    ///   - shardSecret: 16 random bytes, which decide the shards of the player's parties; never shown to the player.
    ///   - now: the time of the registration.
    /// - Throws: `PostgresError`.
    public func register(
        _ player: Player,
        tokenHash: [UInt8],
        shardSecret: [UInt8],
        at now: Timestamp
    ) async throws {
        _ = try await pool.query(
            PostgresQuery(
                PlayerStatements.insert,
                player.id.shard.column,
                player.id,
                player.displayName,
                player.hero,
                now.postgres,
                shardSecret
            )
        )
        _ = try await pool.query(
            PostgresQuery(PlayerStatements.insertToken, tokenHash, player.id, now.postgres)
        )
    }

    /// Returns the player with a bearer token, by the token's SHA-256; nil if there is none.
    ///
    /// The first use of a token that was issued as a replacement revokes the player's other tokens.
    public func playerID(ofTokenHash tokenHash: [UInt8]) async throws -> PlayerID? {
        try await holder(
            of: tokenHash,
            found: try await pool.read([PostgresQuery(PlayerStatements.findToken, tokenHash)])[0]
        )
    }

    /// Returns an adventure together with the player who is authenticated by a bearer token, in one round trip, for the
    /// app's most frequent request.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - tokenHash: the token's SHA-256.
    /// - Returns: the player as ``playerID(ofTokenHash:)`` returns it, nil for an invalid token; and the adventure, nil
    ///   if there is none with this identifier or the token is invalid.
    /// - Throws: `PostgresError`; ``StoreError`` if the token is valid and the adventure cannot be decoded.
    public func adventure(
        _ id: AdventureID,
        authenticatedBy tokenHash: [UInt8]
    ) async throws -> (playerID: PlayerID?, adventure: StoredAdventure?) {
        let known = timelines[id]
        let rows = try await pool.read([
            PostgresQuery(PlayerStatements.findToken, tokenHash),
            AdventureStatements.read(id, after: known),
        ])
        guard let playerID = try await holder(of: tokenHash, found: rows[0]) else { return (nil, nil) }
        return (playerID, try await adventure(id, in: rows[1], after: known))
    }

    private func holder(of tokenHash: [UInt8], found rows: PostgresRows) async throws -> PlayerID? {
        guard let (playerID, isFresh) = try rows.first?.decode(PlayerID.self, Bool.self) else { return nil }
        if isFresh {
            let rows = try await pool.query(PostgresQuery(PlayerStatements.confirmToken, tokenHash))
            guard try rows.first?.decode(Int64.self) == 1 else { return nil }
        }
        return playerID
    }

    /// Issues another token to a player, by its SHA-256.
    ///
    /// The other tokens stay valid until its first use.
    ///
    /// A token that was issued before and never used is revoked immediately.
    public func addToken(_ tokenHash: [UInt8], of playerID: PlayerID, at now: Timestamp) async throws {
        _ = try await pool.query(PostgresQuery(PlayerStatements.addToken, tokenHash, playerID, now.postgres))
    }

    /// Revokes a token.
    public func revokeToken(_ tokenHash: [UInt8]) async throws {
        _ = try await pool.query(PostgresQuery(PlayerStatements.revokeToken, tokenHash))
    }

    /// Returns the valid tokens among the given ones, by their SHA-256.
    public func validTokenHashes(among tokenHashes: Set<[UInt8]>) async throws -> Set<[UInt8]> {
        let rows = try await pool.query(PostgresQuery(PlayerStatements.validTokens, Array(tokenHashes)))
        return Set(try rows.map { try $0.decode([UInt8].self) })
    }

    /// Returns the secret that decides the shards of a player's parties; nil for an unknown player.
    package func shardSecret(of id: PlayerID) async throws -> [UInt8]? {
        try await pool.query(PostgresQuery(PlayerStatements.shardSecret, id.shard.column, id)).first?.decode(
            [UInt8].self
        )
    }

    /// Returns a player; nil if there is none with this identifier.
    public func player(_ id: PlayerID) async throws -> Player? {
        let rows = try await pool.query(PostgresQuery(PlayerStatements.read, id.shard.column, id))
        return try rows.first.map { row in
            let (displayName, hero) = try row.decode(String.self, HeroID.self)
            return Player(id: id, displayName: displayName, hero: hero)
        }
    }
}

enum PlayerStatements {
    static let insert = Statement(
        "player.insert",
        """
        INSERT INTO players (shard, player_id, display_name, hero, created_at, shard_secret)
        VALUES ($1, $2, $3, $4, $5, $6)
        """
    )

    static let insertToken = Statement(
        "player.insertToken",
        "INSERT INTO player_tokens (token_hash, player_id, created_at) VALUES ($1, $2, $3)"
    )

    /// Reads a token by primary key.
    static let findToken = Statement(
        "player.findToken",
        "SELECT player_id, is_fresh FROM player_tokens WHERE token_hash = $1"
    )

    /// Revokes the player's other tokens on the first use of a token.
    ///
    /// A later use revokes none, since another token may have been issued in between. Returns whether the token still
    /// exists: it may have been replaced since it was read.
    static let confirmToken = Statement(
        "player.confirmToken",
        """
        WITH found AS (
            SELECT player_id FROM player_tokens WHERE token_hash = $1 FOR UPDATE
        ), used AS (
            UPDATE player_tokens SET is_fresh = false WHERE token_hash = $1 AND is_fresh RETURNING player_id
        ), ended AS (
            DELETE FROM player_tokens AS t USING used AS u WHERE t.player_id = u.player_id AND t.token_hash <> $1
        )
        SELECT count(*) FROM found
        """
    )

    /// Inserts an unused token and deletes the player's other unused tokens, through the index on players.
    static let addToken = Statement(
        "player.addToken",
        """
        WITH unused AS (DELETE FROM player_tokens WHERE player_id = $2 AND is_fresh)
        INSERT INTO player_tokens (token_hash, player_id, created_at, is_fresh) VALUES ($1, $2, $3, true)
        """
    )

    static let revokeToken = Statement("player.revokeToken", "DELETE FROM player_tokens WHERE token_hash = $1")

    /// Looks up tokens by primary key.
    static let validTokens = Statement(
        "player.validTokens",
        "SELECT token_hash FROM player_tokens WHERE token_hash = ANY ($1)"
    )

    /// Reads a player's secret by primary key.
    static let shardSecret = Statement(
        "player.shardSecret",
        "SELECT shard_secret FROM players WHERE shard = $1 AND player_id = $2"
    )

    /// Reads a player by primary key.
    static let read = Statement(
        "player.read",
        "SELECT display_name, hero FROM players WHERE shard = $1 AND player_id = $2"
    )
}
