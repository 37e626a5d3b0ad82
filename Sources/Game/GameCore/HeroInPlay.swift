/// A hero in an adventure.
public struct HeroInPlay: Hashable, Sendable {
    /// Whose hero it is.
    public let playerID: PlayerID
    /// Which hero of the catalogue; name, avatar and signature move are there.
    public let id: HeroID
    /// The level that it came with, which its strengths follow from: one that is reached on the way makes it stronger from
    /// the next adventure on.
    public let startingLevel: Int
    /// All that the hero has learned, here and before.
    public internal(set) var experience: Int
    /// The level that the experience gives, 1…``Hero/highestLevel``.
    public internal(set) var level: Int
    /// 0…``maximumHealth``; zero is down.
    public internal(set) var health: Int
    /// Health when unhurt, by hero and ``startingLevel``.
    public let maximumHealth: Int
    /// Potions left.
    public internal(set) var potions: Int
    /// How many of the hero's turns must begin before the signature move can be used; zero when it can.
    public internal(set) var cooldown: Int
    /// What the hero does with turns that its player lets pass.
    public internal(set) var policy: TurnPolicy
    /// Whether the hero takes half the damage until its next turn, and a quarter of an announced blow.
    public internal(set) var isGuarding: Bool
    /// Whether blows meant for one hero hit this one until its next turn.
    public internal(set) var isChallenging: Bool
    /// Whether its player has left; such a hero keeps its seat.
    public internal(set) var hasLeft: Bool
    let strengths: Strengths

    /// What a hero can do, by hero and ``startingLevel``: it follows from them, and is kept since it is asked for all the time.
    struct Strengths: Hashable, Sendable {
        /// What a strike takes from a boss, give or take a fifth; in hundredths, so that every level counts.
        let attackHundredths: Int
        /// What is taken off every blow, in hundredths.
        let defenceHundredths: Int
        /// The hero's place in the order of turns.
        let speed: Int
        let heroClass: HeroClass
        let element: Element
        let effect: SignatureMove.Effect
        /// What ``HeroInPlay/cooldown`` is after the signature move.
        let cooldown: Int

        /// The strengths of a hero of the catalogue who came with a level.
        init(of entry: HeroCatalogue.Entry, level: Int) {
            let growth = Hero.growthPercent(level: level)
            attackHundredths = entry.attack * growth
            defenceHundredths = entry.defence * growth
            speed = entry.speed
            heroClass = entry.heroClass
            element = entry.element
            effect = entry.signatureMove.effect
            cooldown = entry.signatureMove.cooldown
        }
    }

    /// Whether the hero cannot act.
    public var isDown: Bool { health == 0 }
    /// Health as the phone shows it, 0…1.
    public var healthLevel: Double { Double(health) / Double(maximumHealth) }

    /// A hero who sets out unhurt.
    init(_ hero: Hero) {
        guard let entry = HeroCatalogue[hero.id] else { preconditionFailure("no hero '\(hero.id)' in the catalogue") }
        precondition(hero.experience >= 0 && hero.potions >= 0, "a hero has some experience and potions, or none")
        let maximumHealth = entry.maximumHealth * Hero.growthPercent(level: hero.level) / 100
        self.init(entry, of: hero, startingLevel: hero.level, health: maximumHealth, maximumHealth: maximumHealth)
    }

    /// A hero who came with a level and has so much health.
    init(_ entry: HeroCatalogue.Entry, of hero: Hero, startingLevel: Int, health: Int, maximumHealth: Int) {
        playerID = hero.playerID
        id = hero.id
        self.startingLevel = startingLevel
        experience = hero.experience
        level = hero.level
        self.health = health
        self.maximumHealth = maximumHealth
        potions = hero.potions
        cooldown = 0
        policy = .automatic
        isGuarding = false
        isChallenging = false
        hasLeft = false
        strengths = Strengths(of: entry, level: startingLevel)
    }
}

extension [HeroInPlay] {
    /// The hero of a seat.
    subscript(seat: Seat) -> HeroInPlay {
        get { self[seat.rawValue] }
        _modify { yield &self[seat.rawValue] }
    }
}
