/// A hero's place in an adventure: its index in ``Adventure/heroes``, 0…7, never given away again.
public struct Seat: RawRepresentable, Codable, Hashable, Comparable, Sendable {
    /// 0…7.
    public let rawValue: Int

    /// The seat of that number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Seats are ordered by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A hero as a player brings it to an adventure.
public struct Hero: Hashable, Sendable {
    /// How many potions the server gives each hero who sets out.
    public static let openingPotions = 2
    /// No hero has more experience or potions than that: what a stored adventure can hold.
    static let mostCounted = 999_999_999

    /// Whose hero it is.
    public let playerID: PlayerID
    /// Which hero of the catalogue.
    public let id: HeroID
    /// All that it has learned, 0 and up; carried from adventure to adventure.
    public let experience: Int
    /// How many potions it carries at the start.
    public let potions: Int

    /// 1…``highestLevel``.
    public var level: Int { Self.level(forExperience: experience) }

    /// A hero of the catalogue with its experience and potions.
    public init(playerID: PlayerID, id: HeroID, experience: Int, potions: Int) {
        self.playerID = playerID
        self.id = id
        self.experience = experience
        self.potions = potions
    }

    /// A hero of the catalogue who has just reached a level.
    public init(playerID: PlayerID, id: HeroID, level: Int, potions: Int) {
        self.init(playerID: playerID, id: id, experience: Self.experience(forLevel: level), potions: potions)
    }
}

extension Hero: Codable {
    private enum CodingKeys: String, CodingKey {
        case playerID
        case id
        case experience
        case potions
    }

    /// Decodes a hero.
    /// - Throws: `DecodingError` if a field is missing or out of range, or if the catalogue has no such hero.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func corrupted(_ key: CodingKeys, _ reason: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: reason)
        }
        let id = try container.decode(HeroID.self, forKey: .id)
        guard HeroCatalogue[id] != nil else { throw corrupted(.id, "no hero '\(id)' in the catalogue") }
        let experience = try container.decode(Int.self, forKey: .experience)
        guard (0...Self.mostCounted).contains(experience) else {
            throw corrupted(.experience, "experience \(experience)")
        }
        let potions = try container.decode(Int.self, forKey: .potions)
        guard (0...Self.mostCounted).contains(potions) else { throw corrupted(.potions, "\(potions) potions") }
        self.init(
            playerID: try container.decode(PlayerID.self, forKey: .playerID),
            id: id,
            experience: experience,
            potions: potions
        )
    }

    /// Encodes the form that is decoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(playerID, forKey: .playerID)
        try container.encode(id, forKey: .id)
        try container.encode(experience, forKey: .experience)
        try container.encode(potions, forKey: .potions)
    }
}
