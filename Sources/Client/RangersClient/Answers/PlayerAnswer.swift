public import GameCore

/// A player who has just registered.
public struct RegisteredPlayer: Decodable, Hashable, Sendable {
    /// Names the player.
    public let playerID: PlayerID
    /// As the server keeps it: without the blanks around it.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroAnswer
    /// What speaks for the player from now on; it is not shown again.
    public let token: PlayerToken
}

/// A player, for the player alone.
public struct PlayerAnswer: Decodable, Hashable, Sendable {
    /// Names the player.
    public let playerID: PlayerID
    /// What companions read.
    public let displayName: String
    /// The hero that the player brings to parties.
    public let hero: HeroAnswer
}

/// A hero outside adventures.
public struct HeroAnswer: Decodable, Hashable, Sendable {
    /// Which hero of the catalogue.
    public let id: HeroID
    /// The English name.
    public let name: String
    /// The emoji.
    public let avatar: String
    /// 1 and up; heroes learn in their party.
    public let level: Int
}
