public import GameCore

/// A newly registered player with the player's token.
public struct RegisteredPlayer: Decodable, Hashable, Sendable {
    /// The player's identifier.
    public let playerID: PlayerID
    /// The name as the server stores it, without surrounding whitespace.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroResponse
    /// The token that authenticates the player.
    ///
    /// The server returns it only once.
    public let token: PlayerToken
}

/// A player's own profile.
public struct PlayerResponse: Decodable, Hashable, Sendable {
    /// The player's identifier.
    public let playerID: PlayerID
    /// The name that companions see.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroResponse
}

/// A hero with its level.
public struct HeroResponse: Decodable, Hashable, Sendable {
    /// The hero's identifier in the catalogue.
    public let id: HeroID
    /// The hero's English name.
    public let name: String
    /// The hero's emoji.
    public let avatar: String
    /// The hero's level, from 1; heroes gain experience separately in each party.
    public let level: Int
}
