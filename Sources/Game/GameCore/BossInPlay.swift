/// A boss in a fight.
///
/// It is scaled to the party: its health grows with the number of heroes and with their levels, and so does its attack.
/// A hero who joins later brings a share of both along.
public struct BossInPlay: Hashable, Sendable {
    /// A move that the boss has announced for its next turn.
    public enum Announcement: Hashable, Sendable {
        /// ``BossMove/heavyAttack``.
        case heavyAttack
        /// ``BossMove/crush`` of the hero of a seat.
        case crush(Seat)
    }

    /// Which boss of the catalogue.
    public let id: BossID
    /// 0…``maximumHealth``; zero is defeated.
    public internal(set) var health: Int
    /// Health when unhurt.
    public internal(set) var maximumHealth: Int
    /// What a blow at a single hero takes before defence, give or take a fifth.
    var attack: Int
    /// What a blow at every hero is measured by, likewise.
    var attackOnAll: Int
    /// How it fights at the moment: 1 at first, one more each time it is enraged.
    public internal(set) var phase = 1
    /// What its next turn brings, if it has said so.
    public internal(set) var announcement: Announcement?
    /// How many of its turns it still hits less hard.
    public internal(set) var weakenedTurns = 0
    /// How many blows at it still hit harder.
    public internal(set) var exposedBlows = 0
    private let index: Int

    /// Health as the phone shows it, 0…1.
    public var healthLevel: Double { Double(health) / Double(maximumHealth) }
    /// Whether it has announced a move that guarding answers.
    public var isWindingUp: Bool { announcement != nil }

    /// A boss at the beginning of a fight against some heroes.
    init(_ id: BossID, facing heroes: [HeroInPlay]) {
        guard let entry = BossCatalogue[id] else { preconditionFailure("no boss '\(id)' in the catalogue") }
        let health = heroes.reduce(0) { $0 + Self.health(of: entry, facing: $1) }
        self.init(id, health: health, maximumHealth: health, attack: 0, attackOnAll: 0)
        scaleAttack(to: heroes)
    }

    /// Takes a hero who joins the fight into account.
    /// - Parameters:
    ///   - newcomer: the hero.
    ///   - heroes: all of them, the newcomer included.
    /// - Returns: what its health grows by.
    mutating func face(_ newcomer: HeroInPlay, among heroes: [HeroInPlay]) -> Int {
        let share = Self.health(of: entry, facing: newcomer)
        health += share
        maximumHealth += share
        scaleAttack(to: heroes)
        return share
    }

    private mutating func scaleAttack(to heroes: [HeroInPlay]) {
        let growth = heroes.reduce(0) { $0 + Hero.growthPercent(level: $1.startingLevel) } / heroes.count
        let scale = Scale.boss[heroes.count - 1]
        attack = (entry.attack * growth * scale.attackPercent + 5_000) / 10_000
        attackOnAll = (entry.attack * growth * scale.attackOnAllPercent + 5_000) / 10_000
    }

    private static func health(of entry: BossCatalogue.Entry, facing hero: HeroInPlay) -> Int {
        entry.healthPerHero * Hero.growthPercent(level: hero.startingLevel) / 100
    }

    /// A boss that is in a fight already.
    init(_ id: BossID, health: Int, maximumHealth: Int, attack: Int, attackOnAll: Int) {
        guard let index = BossCatalogue.index(of: id) else { preconditionFailure("no boss '\(id)' in the catalogue") }
        self.id = id
        self.health = health
        self.maximumHealth = maximumHealth
        self.attack = attack
        self.attackOnAll = attackOnAll
        self.index = index
    }

    var entry: BossCatalogue.Entry { BossCatalogue.all[index] }
    /// The boss's place in the order of turns.
    var speed: Int { entry.speed }
    /// How it fights at the moment.
    var conduct: BossCatalogue.Phase { entry.phases[phase - 1] }

    /// Goes on to the next phase when its health is low enough for it.
    mutating func enrages() -> Bool {
        guard
            health > 0, phase < entry.phases.count,
            health * 100 <= maximumHealth * entry.phases[phase].healthPercent
        else { return false }
        phase += 1
        return true
    }
}
