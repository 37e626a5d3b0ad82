/// The state of a hero in an adventure.
public struct HeroInPlay: Hashable, Sendable {
    /// The player who owns the hero.
    public let playerID: PlayerID
    /// The hero in the catalogue, which has its name, avatar and signature move.
    public let id: HeroID
    /// The level at the start of the adventure, which determines the hero's strengths.
    ///
    /// A level gained during the adventure makes the hero stronger from the next adventure on.
    public let startingLevel: Int
    /// The experience, including earlier adventures.
    public internal(set) var experience: Int
    /// The current level, 1…``Hero/maxLevel``.
    public internal(set) var level: Int
    /// The remaining health, 0…``maximumHealth``; a hero with zero health is down.
    public internal(set) var health: Int
    /// The maximum health.
    public let maximumHealth: Int
    /// The number of potions left.
    public internal(set) var potions: Int
    /// The number of the hero's turns until the signature move is ready; zero if it is ready.
    public internal(set) var cooldown: Int
    /// The policy for turns without a command.
    public internal(set) var policy: TurnPolicy
    /// Whether the hero guards until its next turn: it takes half the damage, and a quarter of an announced blow.
    public internal(set) var isGuarding: Bool
    /// Whether the hero draws all blows at single heroes until its next turn.
    public internal(set) var isChallenging: Bool
    /// Whether the player has left; the hero keeps its seat.
    public internal(set) var hasLeft: Bool
    let strengths: Strengths

    /// The strengths of a hero, derived from its catalogue entry and ``startingLevel`` and cached for speed.
    struct Strengths: Hashable, Sendable {
        /// The damage of a blow at a boss, ±20 %, in hundredths, so that every level makes a difference.
        let attackHundredths: Int
        /// The damage that is subtracted from every blow, in hundredths.
        let defenceHundredths: Int
        let speed: Int
        let heroClass: HeroClass
        let element: Element
        let effect: SignatureMove.Effect
        /// The cooldown of the signature move, in turns of the hero.
        let cooldown: Int
        /// See ``HeroCatalogue/Entry/loneBossAttackPercent``.
        let loneBossAttackPercent: Int

        init(of entry: HeroCatalogue.Entry, level: Int) {
            let growth = Hero.growthPercent(level: level)
            attackHundredths = entry.attack * growth
            defenceHundredths = entry.defence * growth
            speed = entry.speed
            heroClass = entry.heroClass
            element = entry.element
            effect = entry.signatureMove.effect
            cooldown = entry.signatureMove.cooldown
            loneBossAttackPercent = entry.loneBossAttackPercent
        }
    }

    /// Whether the hero is down and cannot act.
    public var isDown: Bool { health == 0 }
    /// Whether the hero stands with a fifth of its health or less, so that the next blow may be the last.
    public var isInDanger: Bool { !isDown && health * 5 <= maximumHealth }
    /// The remaining fraction of the health, 0…1.
    public var healthLevel: Double { Double(health) / Double(maximumHealth) }

    /// Creates an unhurt hero at the start of an adventure.
    init(_ hero: Hero) {
        guard let entry = HeroCatalogue[hero.id] else { preconditionFailure("the catalogue has no hero '\(hero.id)'") }
        precondition(hero.experience >= 0 && hero.potions >= 0, "experience and potions must not be negative")
        let maximumHealth = entry.maximumHealth * Hero.growthPercent(level: hero.level) / 100
        self.init(entry, of: hero, startingLevel: hero.level, health: maximumHealth, maximumHealth: maximumHealth)
    }

    /// Creates a hero from its stored state.
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
    /// The hero at a seat.
    subscript(seat: Seat) -> HeroInPlay {
        get { self[seat.rawValue] }
        _modify { yield &self[seat.rawValue] }
    }
}
