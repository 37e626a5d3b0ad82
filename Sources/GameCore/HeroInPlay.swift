/// A hero in an adventure.
public struct HeroInPlay: Codable, Hashable, Sendable {
    /// Whose hero it is.
    public let playerID: PlayerID
    /// Which hero of the catalogue; name, avatar and strengths are there.
    public let id: HeroID
    /// 1…``Hero/highestLevel``.
    public internal(set) var level: Int
    /// Experience gathered in this adventure.
    public internal(set) var experience: Int
    /// 0…``maximumHealth``; zero is down.
    public internal(set) var health: Int
    /// Health when unhurt, by hero and by the level it came with: a level reached on the way counts from the next
    /// adventure on.
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

    /// A hero who sets out unhurt.
    init(_ hero: Hero) {
        precondition((1...Hero.highestLevel).contains(hero.level), "no hero has level \(hero.level)")
        precondition(hero.potions >= 0, "a hero carries no potion, or some")
        playerID = hero.playerID
        id = hero.id
        level = hero.level
        experience = 0
        maximumHealth = Self.entry(hero.id).maximumHealth * Self.growthPercent(level: hero.level) / 100
        health = maximumHealth
        potions = hero.potions
        isGuarding = false
        hasLeft = false
    }

    /// How strong a hero of a level is, in percent of level 1.
    static func growthPercent(level: Int) -> Int { 100 + 6 * (level - 1) }

    /// What a strike takes from a boss, give or take a fifth.
    var attack: Int { Self.entry(id).attack * Self.growthPercent(level: level) / 100 }
    /// What is taken off every blow.
    var defence: Int { Self.entry(id).defence }
    /// The hero's place in the order of turns.
    var speed: Int { Self.entry(id).speed }

    private static func entry(_ id: HeroID) -> HeroCatalogue.Entry {
        guard let entry = HeroCatalogue[id] else { preconditionFailure("no hero '\(id)' in the catalogue") }
        return entry
    }
}

extension HeroInPlay {
    private enum CodingKeys: String, CodingKey {
        case playerID = "player"
        case id
        case level
        case experience
        case health
        case maximumHealth
        case potions
        case isGuarding = "guarding"
        case hasLeft = "left"
    }
}
