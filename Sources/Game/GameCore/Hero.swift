/// The seat of a hero in an adventure: its index in ``Adventure/heroes``.
///
/// A seat is never reassigned, even after its player leaves.
public struct Seat: RawRepresentable, Codable, Hashable, Comparable, Sendable {
    /// The index, 0…7.
    public let rawValue: Int

    /// Creates a seat from its index.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Orders seats by index.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A hero that a player brings to an adventure.
public struct Hero: Encodable, Hashable, Sendable {
    /// The number of potions that each hero has at the start of an adventure.
    public static let openingPotions = 2
    /// The maximum of experience and of potions: the largest number that a stored adventure can contain.
    package static let maxCount = 999_999_999

    /// The player who owns the hero.
    public let playerID: PlayerID
    /// The hero in the catalogue.
    public let id: HeroID
    /// The experience, 0 or more; it carries over to later adventures.
    public let experience: Int
    /// The number of potions at the start.
    public let potions: Int

    /// The level, 1…``maxLevel``.
    public var level: Int { Self.level(forExperience: experience) }

    /// Creates a hero from its experience.
    public init(playerID: PlayerID, id: HeroID, experience: Int, potions: Int) {
        self.playerID = playerID
        self.id = id
        self.experience = experience
        self.potions = potions
    }

    /// Creates a hero who has just reached a level.
    public init(playerID: PlayerID, id: HeroID, level: Int, potions: Int) {
        self.init(playerID: playerID, id: id, experience: Self.experience(forLevel: level), potions: potions)
    }
}
