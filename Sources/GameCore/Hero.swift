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
public struct Hero: Codable, Hashable, Sendable {
    /// How many potions the server gives each hero who sets out.
    public static let openingPotions = 2
    /// No hero grows beyond this level.
    public static let highestLevel = 20

    /// Whose hero it is.
    public let playerID: PlayerID
    /// Which hero of the catalogue.
    public let id: HeroID
    /// 1 and up; carried from adventure to adventure.
    public let level: Int
    /// How many potions it carries at the start.
    public let potions: Int

    /// A hero of the catalogue at a level, with its potions.
    public init(playerID: PlayerID, id: HeroID, level: Int, potions: Int) {
        self.playerID = playerID
        self.id = id
        self.level = level
        self.potions = potions
    }
}
