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
    public func playerID(ofTokenHash tokenHash: [UInt8]) async throws -> PlayerID? {
        let rows = try await pool.query(PostgresQuery(PlayerStatements.findToken, tokenHash))
        return try rows.first?.decode(PlayerID.self)
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
        "SELECT player_id FROM player_tokens WHERE token_hash = $1"
    )

    static let read = Statement(
        "player.read",
        "SELECT display_name, hero FROM players WHERE shard = $1 AND player_id = $2"
    )
}
