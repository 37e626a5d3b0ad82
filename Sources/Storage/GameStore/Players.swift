public import Encodings
public import GameCore
import PostgresClient

/// A person with the app.
public struct Player: Sendable {
    /// Who it is.
    public let id: PlayerID
    /// 1 to 30 characters.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroID

    /// A player with a name and a hero.
    public init(id: PlayerID, displayName: String, hero: HeroID) {
        self.id = id
        self.displayName = displayName
        self.hero = hero
    }
}

extension GameStore {
    /// Stores a new player and the hash of the player's token.
    ///
    /// Two homes, so two steps: a crash between them leaves a player whom no token reaches, and a caller without an
    /// answer, who registers again.
    public func register(_ player: Player, tokenHash: [UInt8], at now: Timestamp) async throws {
        _ = try await pool.query(
            PostgresQuery(
                PlayerStatements.insert,
                player.id.shard.column,
                player.id,
                player.displayName,
                player.hero,
                now.postgres
            )
        )
        _ = try await pool.query(
            PostgresQuery(PlayerStatements.insertToken, tokenHash, player.id, now.postgres)
        )
    }

    /// The player to whom a bearer token belongs, by the token's SHA-256; nil when it is nobody's.
    ///
    /// The first use of a token that was given out in exchange ends all others of the player.
    public func playerID(ofTokenHash tokenHash: [UInt8]) async throws -> PlayerID? {
        try await holder(
            of: tokenHash,
            found: try await pool.read([PostgresQuery(PlayerStatements.findToken, tokenHash)])[0]
        )
    }

    /// An adventure, together with the player whose bearer token asks for it: one round trip for the request that apps
    /// send most.
    /// - Parameters:
    ///   - id: of the adventure.
    ///   - tokenHash: the token's SHA-256.
    /// - Returns: the player as ``playerID(ofTokenHash:)`` tells, nil when the token is nobody's; and the adventure, nil
    ///   when there is none with that identifier, or nobody who asks.
    /// - Throws: `PostgresError`; ``StoreError`` when somebody asks for what cannot be decoded.
    public func adventure(
        _ id: AdventureID,
        askedForWith tokenHash: [UInt8]
    ) async throws -> (playerID: PlayerID?, adventure: StoredAdventure?) {
        let rows = try await pool.read([
            PostgresQuery(PlayerStatements.findToken, tokenHash),
            PostgresQuery(AdventureStatements.read, id.shard.column, [id]),
        ])
        guard let playerID = try await holder(of: tokenHash, found: rows[0]) else { return (nil, nil) }
        return (playerID, try rows[1].first.map(AdventureStatements.decode))
    }

    private func holder(of tokenHash: [UInt8], found rows: PostgresRows) async throws -> PlayerID? {
        guard let (playerID, isFresh) = try rows.first?.decode(PlayerID.self, Bool.self) else { return nil }
        if isFresh {
            let rows = try await pool.query(PostgresQuery(PlayerStatements.settleToken, tokenHash))
            guard try rows.first?.decode(Int64.self) == 1 else { return nil }
        }
        return playerID
    }

    /// Gives a player another token, by its SHA-256; the others are valid until it is used.
    ///
    /// One that was given out before and never used is dead at once.
    public func addToken(_ tokenHash: [UInt8], of playerID: PlayerID, at now: Timestamp) async throws {
        _ = try await pool.query(PostgresQuery(PlayerStatements.addToken, tokenHash, playerID, now.postgres))
    }

    /// Ends a token.
    public func revokeToken(_ tokenHash: [UInt8]) async throws {
        _ = try await pool.query(PostgresQuery(PlayerStatements.revokeToken, tokenHash))
    }

    /// Those of some tokens, by their SHA-256, that still are somebody's.
    public func validTokenHashes(among tokenHashes: Set<[UInt8]>) async throws -> Set<[UInt8]> {
        let rows = try await pool.query(PostgresQuery(PlayerStatements.validTokens, Array(tokenHashes)))
        return Set(try rows.map { try $0.decode([UInt8].self) })
    }

    /// A player, nil when there is none with that identifier.
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
        "INSERT INTO players (shard, player_id, display_name, hero, created_at) VALUES ($1, $2, $3, $4, $5)"
    )

    static let insertToken = Statement(
        "player.insertToken",
        "INSERT INTO player_tokens (token_hash, player_id, created_at) VALUES ($1, $2, $3)"
    )

    static let findToken = Statement(
        "player.findToken",
        "SELECT player_id, is_fresh FROM player_tokens WHERE token_hash = $1"
    )

    /// The first use of a token ends the player's others.
    ///
    /// A later one ends none, since one of them may have been given out for this one meanwhile. Tells whether the token
    /// still is there: it may have been replaced since it was found.
    static let settleToken = Statement(
        "player.settleToken",
        """
        WITH asked AS (
            SELECT player_id FROM player_tokens WHERE token_hash = $1 FOR UPDATE
        ), used AS (
            UPDATE player_tokens SET is_fresh = false WHERE token_hash = $1 AND is_fresh RETURNING player_id
        ), ended AS (
            DELETE FROM player_tokens AS t USING used AS u WHERE t.player_id = u.player_id AND t.token_hash <> $1
        )
        SELECT count(*) FROM asked
        """
    )

    static let addToken = Statement(
        "player.addToken",
        """
        WITH unused AS (DELETE FROM player_tokens WHERE player_id = $2 AND is_fresh)
        INSERT INTO player_tokens (token_hash, player_id, created_at, is_fresh) VALUES ($1, $2, $3, true)
        """
    )

    static let revokeToken = Statement("player.revokeToken", "DELETE FROM player_tokens WHERE token_hash = $1")

    static let validTokens = Statement(
        "player.validTokens",
        "SELECT token_hash FROM player_tokens WHERE token_hash = ANY ($1)"
    )

    static let read = Statement(
        "player.read",
        "SELECT display_name, hero FROM players WHERE shard = $1 AND player_id = $2"
    )
}
