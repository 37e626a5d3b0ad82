/// A boss in a fight.
///
/// It is scaled to the party as the fight begins: its health grows with the number of heroes and with their levels, and
/// so does its attack. Heroes who join later make the fight easier.
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
    public let maximumHealth: Int
    /// What a blow at a single hero takes before defence, give or take a fifth.
    let attack: Int
    /// What a blow at every hero is measured by, likewise.
    let attackOnAll: Int
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
        let growth = heroes.reduce(0) { $0 + Hero.growthPercent(level: $1.startingLevel) }
        let scale = Scale.boss[heroes.count - 1]
        let health = entry.healthPerHero * growth / 100
        let attack = entry.attack * (growth / heroes.count)
        self.init(
            id,
            health: health,
            maximumHealth: health,
            attack: (attack * scale.attackPercent + 5_000) / 10_000,
            attackOnAll: (attack * scale.attackOnAllPercent + 5_000) / 10_000
        )
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
