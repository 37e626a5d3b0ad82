public import Foundation
public import GameCore

/// A newly registered player with the player's token and recovery code.
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
    /// The code with which the player gets another token, if this one is lost.
    ///
    /// The server returns it only once. Nil from servers of earlier versions.
    public let recoveryCode: RecoveryCode?
}

/// A player whose token was lost, with another one.
public struct RecoveredPlayer: Decodable, Hashable, Sendable {
    /// The player's identifier.
    public let playerID: PlayerID
    /// The new token.
    ///
    /// Its first use uses up the code that led to it.
    public let token: PlayerToken
    /// The recovery code for the next time.
    public let recoveryCode: RecoveryCode
}

/// A player who has signed in with Apple.
public struct SignedInPlayer: Decodable, Hashable, Sendable {
    /// The player's identifier.
    public let playerID: PlayerID
    /// The new token, which the server returns only once.
    public let token: PlayerToken
}

/// One of a player's valid tokens, without its secret.
public struct IssuedToken: Decodable, Hashable, Sendable {
    /// The identifier, with which the token can be revoked.
    public let tokenID: UUID
    /// When the token was issued.
    public let issuedAt: Date
    /// When the token was used last, to a day; nil if it was never used.
    public let lastUsedAt: Date?
    /// Whether it is the token of the request.
    public let isCurrent: Bool
}

/// A player's own profile.
public struct PlayerResponse: Decodable, Hashable, Sendable {
    /// The player's identifier.
    public let playerID: PlayerID
    /// The name that companions see.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroResponse
    /// Whether leaderboards show the name, instead of the hero's; nil from servers of earlier versions, which show it.
    public let namedInLeaderboards: Bool?
    /// The experience of all adventures, from which the level follows; nil from servers of earlier versions.
    public let experience: Int?
    /// The bosses that were defeated in the player's fights; nil from servers of earlier versions.
    public let bossesDefeated: Int?
    /// The version, which grows with every change; nil from servers of earlier versions.
    public let version: Int64?
}

/// A hero with its level.
public struct HeroResponse: Decodable, Hashable, Sendable {
    /// The hero's identifier in the catalogue.
    public let id: HeroID
    /// The hero's English name.
    public let name: String
    /// The hero's emoji.
    public let avatar: String
    /// The hero's level, from 1.
    public let level: Int
}
