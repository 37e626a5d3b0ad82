import Encodings
public import Foundation

/// A game whose players can play on the phones; the simulator itself knows no game.
public protocol PhonePlayers: Sendable {
    /// The attached players.
    var players: [PhonePlayer] { get }
    /// The heroes to choose from.
    var heroes: [PhoneCharacter] { get }
    /// The bosses that operators can start.
    var bosses: [PhoneCharacter] { get }
    /// The address of the game's server.
    var server: URL { get }
    /// Attaches a player to a phone.
    func attach(_ request: PlayerRequest) async throws(PlayerProblem) -> PhonePlayer
    /// Detaches the player of a phone.
    func detach(from phoneID: UUID) async throws(PlayerProblem)
    /// Returns the parties of adventures, then further parties by their identifiers, each party once; nil without access
    /// to them.
    func parties(of adventureIDs: [UUID], and partyIDs: [String]) async throws(PlayerProblem) -> [PhoneParty]?
    /// Returns the game's own JSON about raids; nil without access to them.
    func raids(_ part: RaidPart) async throws(PlayerProblem) -> Data?
    /// Returns the latest decisions about pushes to an activity, oldest first; nil without access to them.
    func decisions(on activityID: UUID) async throws(PlayerProblem) -> [PushDecision]?
}

/// A part of what a game knows about its raids.
public enum RaidPart: Sendable {
    /// All raids, also those that have ended.
    case list
    /// The rounds of a raid after a number; nil for all rounds from the first one.
    case rounds(UUID, after: Int?)
    /// The first hundred parties of a raid.
    case ranking(UUID)
}

/// A sender's decision about pushes to an activity, with the sender's own texts.
public struct PushDecision: Codable, Sendable {
    /// The time of the decision, by the sender's clock (RFC 3339).
    public let at: String
    /// The kind, such as `sent`, `delayed` or `cancelled`.
    public let decision: String
    /// The trigger of the decision, such as an event.
    public let trigger: String
    /// The decision.
    public let action: String
    /// The reason.
    public let reason: String?
    /// The end of a delay.
    public let until: String?
}

/// A hero or boss to choose.
public struct PhoneCharacter: Encodable, Sendable {
    /// The game's identifier.
    public let id: String
    /// The name in English.
    public let name: String
    /// The avatar: one emoji.
    public let avatar: String

    /// Creates a character.
    public init(id: String, name: String, avatar: String) {
        self.id = id
        self.name = name
        self.avatar = avatar
    }
}

/// A party of the game that a phone shows, or that a phone's player has joined.
public struct PhoneParty: Codable, Sendable {
    /// The game's identifier.
    public let partyID: String
    /// The name.
    public let name: String
    /// The code with which a player joins.
    public let inviteCode: String
    /// The number of members.
    public let members: Int
    /// The maximum number of members.
    public let capacity: Int
    /// The party's adventure; nil between adventures.
    public let adventureID: String?

    /// Creates a party.
    public init(partyID: String, name: String, inviteCode: String, members: Int, capacity: Int, adventureID: String?) {
        self.partyID = partyID
        self.name = name
        self.inviteCode = inviteCode
        self.members = members
        self.capacity = capacity
        self.adventureID = adventureID
    }
}

/// A request to attach a player to a phone.
public struct PlayerRequest: Sendable {
    /// The phone.
    public let phoneID: UUID
    /// The invite code of the party to join.
    public let inviteCode: String
    /// The name that companions see.
    public let displayName: String
    /// The hero; nil for any.
    public let hero: String?
    /// Whether the player acts in boss fights.
    public let takesTurns: Bool
    /// The phone's locale.
    public let locale: String
    /// The phone's setting for frequent pushes.
    public let frequentPushesEnabled: Bool
}

/// A player on a phone.
public struct PhonePlayer: Encodable, Sendable {
    /// The phone.
    public let phoneID: UUID
    /// The game's identifier of the player.
    public let playerID: String
    /// The name that companions see.
    public let displayName: String
    /// The player's hero.
    public let hero: String
    /// The game's identifier of the party that the player has joined.
    public let partyID: String
    /// Whether the player acts in boss fights.
    public let takesTurns: Bool

    private enum CodingKeys: CodingKey {
        case phoneID
        case playerID
        case displayName
        case hero
        case partyID
        case takesTurns
    }

    /// Creates a player.
    public init(
        phoneID: UUID,
        playerID: String,
        displayName: String,
        hero: String,
        partyID: String,
        takesTurns: Bool
    ) {
        self.phoneID = phoneID
        self.playerID = playerID
        self.displayName = displayName
        self.hero = hero
        self.partyID = partyID
        self.takesTurns = takesTurns
    }

    /// Encodes the player as in the API, with the phone's identifier in lowercase.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(phoneID.lowercaseText, forKey: .phoneID)
        try container.encode(playerID, forKey: .playerID)
        try container.encode(displayName, forKey: .displayName)
        try container.encode(hero, forKey: .hero)
        try container.encode(partyID, forKey: .partyID)
        try container.encode(takesTurns, forKey: .takesTurns)
    }
}

/// An error of attaching a player or reading a player's data, as a problem of the simulator's API.
public struct PlayerProblem: Error {
    /// The HTTP status.
    public let status: Int
    /// The kind of problem, for programs.
    public let type: String
    /// The kind of problem, for people.
    public let title: String
    /// A sentence about the cause and the remedy.
    public let detail: String
    /// The invalid fields of the request, each with the reason.
    public let fields: [(name: String, reason: String)]

    /// Creates a problem.
    public init(
        status: Int,
        type: String,
        title: String,
        detail: String,
        fields: [(name: String, reason: String)] = []
    ) {
        self.fields = fields
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
    }
}
