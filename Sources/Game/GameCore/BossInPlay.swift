/// The state of a boss in a fight.
///
/// The boss is scaled to the party: its health and attack grow with the number of heroes and their levels, also when a
/// hero joins later.
public struct BossInPlay: Hashable, Sendable {
    /// A move that the boss has announced for its next turn.
    public enum Announcement: Hashable, Sendable {
        /// ``BossMove/heavyAttack``.
        case heavyAttack
        /// ``BossMove/crush`` at the hero of a seat.
        case crush(Seat)
    }

    /// The boss of the catalogue.
    public let id: BossID
    /// The remaining health, 0…``maximumHealth``; a boss with zero health is defeated.
    public internal(set) var health: Int
    /// The maximum health, which grows when a hero joins a boss fight.
    public internal(set) var maximumHealth: Int
    /// The damage of a blow at a single hero before defence, ±20 %.
    var attack: Int
    /// The base damage of blows at all heroes before defence, ±20 %.
    var attackOnAll: Int
    /// The number of the current phase, from 1; it grows each time the boss is enraged.
    public internal(set) var phase = 1
    /// The move that the boss has announced for its next turn, if any.
    public internal(set) var announcement: Announcement?
    /// The number of turns for which the boss is still weakened.
    public internal(set) var weakenedTurns = 0
    /// The number of blows for which the boss is still exposed.
    public internal(set) var exposedBlows = 0
    /// The damage that the party has dealt to the common boss of a raid, whose health its blows do not lower; nil in a
    /// boss fight.
    var dealt: Int?
    private let index: Int

    /// The remaining fraction of the health, 0…1.
    public var healthLevel: Double { Double(health) / Double(maximumHealth) }
    /// Whether the boss has announced a heavy move, against which heroes can guard.
    public var isWindingUp: Bool { announcement != nil }

    /// Creates a boss at the beginning of a fight.
    init(_ id: BossID, facing heroes: [HeroInPlay], under rules: RulesVersion) {
        guard let entry = BossCatalogue[id] else { preconditionFailure("the catalogue has no boss '\(id)'") }
        let health = heroes.reduce(0) { $0 + Self.health(of: entry, facing: $1) }
        self.init(id, health: health, maximumHealth: health, attack: 0, attackOnAll: 0)
        scaleAttack(to: heroes, under: rules)
    }

    /// Scales the boss up for a hero who joins the fight.
    /// - Parameters:
    ///   - newcomer: the hero.
    ///   - heroes: all heroes, including the newcomer.
    ///   - rules: the version of the rules.
    /// - Returns: the health that the boss gains: none in a raid.
    mutating func scaleUp(for newcomer: HeroInPlay, among heroes: [HeroInPlay], under rules: RulesVersion) -> Int {
        let addedHealth = dealt == nil ? Self.health(of: entry, facing: newcomer) : 0
        health += addedHealth
        maximumHealth += addedHealth
        scaleAttack(to: heroes, under: rules)
        return addedHealth
    }

    mutating func scaleAttack(to heroes: [HeroInPlay], under rules: RulesVersion) {
        let growth = heroes.reduce(0) { $0 + Hero.growthPercent(level: $1.startingLevel) } / heroes.count
        let scale = Scale.boss[heroes.count - 1]
        attack = (entry.attack * growth * scale.attackPercent + 5_000) / 10_000
        attackOnAll = (entry.attack * growth * scale.attackOnAllPercent + 5_000) / 10_000
        if rules.adjustsBossToLoneHero, heroes.count == 1 {
            attack = (attack * heroes[0].strengths.loneBossAttackPercent + 50) / 100
            attackOnAll = (attackOnAll * heroes[0].strengths.loneBossAttackPercent + 50) / 100
        }
    }

    private static func health(of entry: BossCatalogue.Entry, facing hero: HeroInPlay) -> Int {
        entry.healthPerHero * Hero.growthPercent(level: hero.startingLevel) / 100
    }

    /// Creates a boss from its stored state.
    init(_ id: BossID, health: Int, maximumHealth: Int, attack: Int, attackOnAll: Int) {
        guard let index = BossCatalogue.index(of: id) else { preconditionFailure("the catalogue has no boss '\(id)'") }
        self.id = id
        self.health = health
        self.maximumHealth = maximumHealth
        self.attack = attack
        self.attackOnAll = attackOnAll
        self.index = index
    }

    var entry: BossCatalogue.Entry { BossCatalogue.all[index] }
    var speed: Int { entry.speed }
    var currentPhase: BossCatalogue.Phase { entry.phases[phase - 1] }

    /// Enters the next phase if the health is low enough.
    /// - Returns: whether the phase changed.
    mutating func advancePhase() -> Bool {
        guard health > 0, entry.isPhaseOver(phase, at: health, of: maximumHealth) else { return false }
        phase += 1
        return true
    }
}
