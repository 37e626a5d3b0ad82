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

/// A hero in an adventure.
public struct HeroInPlay: Codable, Hashable, Sendable {
    /// Whose hero it is.
    public let playerID: PlayerID
    /// Which hero of the catalogue; name, avatar and strengths are there.
    public let id: HeroID
    /// 1 and up.
    public internal(set) var level: Int
    /// Experience gathered in this adventure.
    public internal(set) var experience: Int
    /// 0…``maximumHealth``; zero is down.
    public internal(set) var health: Int
    /// Health when unhurt, by hero and level.
    public let maximumHealth: Int
    /// Potions left.
    public internal(set) var potions: Int
    /// Whether the hero takes half the damage until its next turn.
    public internal(set) var isGuarding: Bool
    /// Whether its player has left; such a hero keeps its seat.
    public internal(set) var hasLeft: Bool

    /// Whether the hero cannot act.
    public var isDown: Bool { health == 0 }
    /// Health as the phone shows it, 0…1.
    public var healthLevel: Double { Double(health) / Double(maximumHealth) }
}
