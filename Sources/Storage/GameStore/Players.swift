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
    /// Whether leaderboards show the name; otherwise they show that of the hero.
    public let isNamedInLeaderboards: Bool
    /// What the player has made of all adventures.
    public let progress: PlayerProgress
    /// The version of profile and progress, which grows with every change.
    public let version: Int64

    /// Creates a player, by default as at the registration.
    public init(
        id: PlayerID,
        displayName: String,
        hero: HeroID,
        isNamedInLeaderboards: Bool = true,
        progress: PlayerProgress = PlayerProgress(),
        version: Int64 = 1
    ) {
        self.id = id
        self.displayName = displayName
        self.hero = hero
        self.isNamedInLeaderboards = isNamedInLeaderboards
        self.progress = progress
        self.version = version
    }
}

extension GameStore {
    /// Stores a new player with the hashes of the player's token and recovery code.
    ///
    /// They are stored in different places with a statement each, the player last. A crash between them leaves hashes of
    /// secrets that no response has shown: a repeated request with the same identifier and hashes completes the
    /// registration, and one without idempotency key registers another player. Idempotent.
    /// - Parameters:
    ///   - player: the player.
    ///   - tokenHash: the SHA-256 of the token.
    ///   - recoveryCodeHash: the SHA-256 of the recovery code; nil for a player without one.
    ///   - shardSecret: 16 random bytes, which decide the shards of the player's parties; never shown to the player.
    ///   - now: the time of the registration.
    /// - Throws: `PostgresError`.
    public func register(
        _ player: Player,
        tokenHash: [UInt8],
        recoveryCodeHash: [UInt8]? = nil,
        shardSecret: [UInt8],
        at now: Timestamp
    ) async throws {
        _ = try await pool.query(
            PostgresQuery(PlayerStatements.insertToken, tokenHash, player.id, now.postgres)
        )
        if let recoveryCodeHash {
            _ = try await pool.query(
                PostgresQuery(RecoveryCodeStatements.insert, recoveryCodeHash, player.id, now.postgres)
            )
        }
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
    }

    /// Returns the player with a bearer token, by the token's SHA-256; nil if there is none.
    ///
    /// The first use of a token that was issued as a replacement revokes the player's other tokens, and that of a token
    /// which was issued for a recovery code ends the code.
    public func playerID(ofTokenHash tokenHash: [UInt8]) async throws -> PlayerID? {
        try await holder(
            of: tokenHash,
            found: try await pool.read([findToken(tokenHash)])[0]
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
            findToken(tokenHash),
            AdventureStatements.read(id, after: known),
        ])
        guard let playerID = try await holder(of: tokenHash, found: rows[0]) else { return (nil, nil) }
        return (playerID, try await adventure(id, in: rows[1], after: known))
    }

    private func holder(of tokenHash: [UInt8], found rows: PostgresRows) async throws -> PlayerID? {
        guard let row = rows.first else { return nil }
        let (playerID, isFresh, isUseDue, now) = try row.decode(
            PlayerID.self,
            Bool.self,
            Bool.self,
            PostgresTimestamp.self
        )
        if isFresh {
            guard try await confirmToken(tokenHash, of: playerID, at: now) else { return nil }
        } else if isUseDue {
            await noteUse(ofToken: tokenHash, at: now)
        }
        return playerID
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
        try PlayerStatements.decode(
            try await pool.query(PostgresQuery(PlayerStatements.read, id.shard.column, id)),
            id
        )
    }
}

enum PlayerStatements {
    static let insert = Statement(
        "player.insert",
        """
        INSERT INTO players (shard, player_id, display_name, hero, created_at, shard_secret)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (shard, player_id) DO NOTHING
        """
    )

    static let insertToken = Statement(
        "player.insertToken",
        """
        INSERT INTO player_tokens (token_hash, player_id, created_at, last_used_at) VALUES ($1, $2, $3, $3)
        ON CONFLICT (token_hash) DO NOTHING
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

    /// The columns that ``decode(_:_:)`` decodes.
    static let columns = "display_name, hero, named_in_leaderboards, experience, bosses_defeated, version"

    /// Reads a player by primary key.
    static let read = Statement(
        "player.read",
        "SELECT \(columns) FROM players WHERE shard = $1 AND player_id = $2"
    )

    static func decode(_ rows: PostgresRows, _ id: PlayerID) throws -> Player? {
        try rows.first.map { row in
            let (displayName, hero, isNamed, experience, bosses, version) = try row.decode(
                String.self,
                HeroID.self,
                Bool.self,
                Int32.self,
                Int32.self,
                Int64.self
            )
            let progress = PlayerProgress(experience: Int(experience), bossesDefeated: Int(bosses))
            return Player(
                id: id,
                displayName: displayName,
                hero: hero,
                isNamedInLeaderboards: isNamed,
                progress: progress,
                version: version
            )
        }
    }
}
