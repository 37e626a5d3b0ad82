public import GameCore

/// A party, as its members see it.
public struct PartyAnswer: Decodable, Hashable, Sendable {
    /// A player in it.
    public struct Member: Decodable, Hashable, Sendable {
        /// Names the player.
        public let playerID: PlayerID
        /// What companions read.
        public let displayName: String
        /// The hero that the player brings.
        public let hero: HeroAnswer
    }

    /// Names the party.
    public let partyID: PartyID
    /// What its founder called it.
    public let name: String
    /// What a companion types to join.
    public let inviteCode: String
    /// Who starts journeys, removes members and hands over.
    public let leaderID: PlayerID
    /// How many may be in it.
    public let capacity: Int
    /// In the order of joining.
    public let members: [Member]
    /// The adventure that it is on.
    public let adventureID: AdventureID?
    /// Grows with every change.
    public let version: Int64
}

/// All parties of a player.
struct PartyList: Decodable {
    let parties: [PartyAnswer]
}
