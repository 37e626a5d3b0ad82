public import Foundation

/// Whoever knows a game that can be played on the phones; the simulator itself knows none.
public protocol PhonePlayers: Sendable {
    /// Who plays now.
    var players: [PhonePlayer] { get }
    /// Which heroes a player may bring.
    var heroes: [PhoneHero] { get }
    /// Lets a player play on a phone.
    func attach(_ wish: PlayerWish) async throws(PlayerRefusal) -> PhonePlayer
    /// Lets the player of a phone go.
    func detach(from phoneID: UUID) async throws(PlayerRefusal)
    /// What was decided lately about pushes to an activity, oldest first; nil when that is not for the simulator to know.
    func decisions(on activityID: UUID) async throws(PlayerRefusal) -> [PushDecision]?
}

/// What a sender decided at a moment about pushes to an activity, in its own words.
public struct PushDecision: Codable, Sendable {
    /// When, by the sender's clock (RFC 3339).
    public let at: String
    /// Such as `sent`, `delayed`, `cancelled`.
    public let decision: String
    /// What it was about.
    public let happened: String
    /// What was decided then.
    public let decided: String
    /// For what reason.
    public let why: String?
    /// Until when, where it waits.
    public let until: String?
}

/// A hero that a player may bring.
public struct PhoneHero: Encodable, Sendable {
    /// What the game calls it.
    public let id: String
    /// In English.
    public let name: String
    /// One emoji.
    public let avatar: String

    /// A hero.
    public init(id: String, name: String, avatar: String) {
        self.id = id
        self.name = name
        self.avatar = avatar
    }
}

/// A player who is wanted on a phone.
public struct PlayerWish: Sendable {
    /// Which phone.
    public let phoneID: UUID
    /// The party that the player is to join.
    public let inviteCode: String
    /// What companions read.
    public let displayName: String
    /// Which hero; nil for any.
    public let hero: String?
    /// Whether the player acts in boss fights.
    public let takesTurns: Bool
    /// The phone's language.
    public let locale: String
    /// What the phone's owner chose in its settings.
    public let frequentPushesEnabled: Bool
}

/// A player who plays on a phone.
public struct PhonePlayer: Encodable, Sendable {
    /// Which phone.
    public let phoneID: UUID
    /// What the game calls the player.
    public let playerID: String
    /// What companions read.
    public let displayName: String
    /// Which hero.
    public let hero: String
    /// Whether the player acts in boss fights.
    public let takesTurns: Bool

    private enum CodingKeys: CodingKey {
        case phoneID
        case playerID
        case displayName
        case hero
        case takesTurns
    }

    /// A player who plays on a phone.
    public init(phoneID: UUID, playerID: String, displayName: String, hero: String, takesTurns: Bool) {
        self.phoneID = phoneID
        self.playerID = playerID
        self.displayName = displayName
        self.hero = hero
        self.takesTurns = takesTurns
    }

    /// Encodes it as the API tells of it, with the phone's name in lower case as everywhere.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(phoneID.uuidString.lowercased(), forKey: .phoneID)
        try container.encode(playerID, forKey: .playerID)
        try container.encode(displayName, forKey: .displayName)
        try container.encode(hero, forKey: .hero)
        try container.encode(takesTurns, forKey: .takesTurns)
    }
}

/// Why there will be no player, or no word about one, as the simulator's API tells it.
public struct PlayerRefusal: Error {
    /// The HTTP status.
    public let status: Int
    /// Names the kind of problem for programs.
    public let type: String
    /// What kind of problem it is, for people.
    public let title: String
    /// What is wrong here and what would be right.
    public let detail: String

    /// A refusal.
    public init(status: Int, type: String, title: String, detail: String) {
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
    }
}
