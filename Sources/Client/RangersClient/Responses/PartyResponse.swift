public import GameCore

/// A party as its members see it.
public struct PartyResponse: Decodable, Hashable, Sendable {
    /// A member of a party.
    public struct Member: Decodable, Hashable, Sendable {
        /// The player's identifier.
        public let playerID: PlayerID
        /// The name that companions see.
        public let displayName: String
        /// The hero that the player brings.
        public let hero: HeroResponse
    }

    /// The party's identifier.
    public let partyID: PartyID
    /// The name that its founder chose.
    public let name: String
    /// The code with which other players join.
    public let inviteCode: String
    /// The leader, who starts journeys, removes members and appoints the next leader.
    public let leaderID: PlayerID
    /// The maximum number of members.
    public let capacity: Int
    /// The members in the order in which they joined.
    public let members: [Member]
    /// The current adventure; nil if the party is idle.
    public let adventureID: AdventureID?
    /// The version, which increases with every change.
    public let version: Int64
}

/// All parties of a player.
struct PartyList: Decodable {
    let parties: [PartyResponse]
}
