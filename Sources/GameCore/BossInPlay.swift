/// A boss in a fight.
///
/// It is scaled to the party as the fight begins: its health grows with the number of heroes and with their levels, and
/// so does its attack. Heroes who join later make the fight easier.
public struct BossInPlay: Codable, Hashable, Sendable {
    /// Which boss of the catalogue.
    public let id: BossID
    /// 0…``maximumHealth``; zero is defeated.
    public internal(set) var health: Int
    /// Health when unhurt.
    public let maximumHealth: Int
    /// What an ordinary attack takes from a hero before defence, give or take a fifth.
    let attack: Int
    /// Whether its next move is the heavy attack that it has announced.
    public internal(set) var isWindingUp: Bool

    /// Health as the phone shows it, 0…1.
    public var healthLevel: Double { Double(health) / Double(maximumHealth) }

    /// A boss at the beginning of a fight against some heroes.
    init(_ id: BossID, facing heroes: [HeroInPlay]) {
        let entry = Self.entry(id)
        let percents = heroes.reduce(0) { $0 + HeroInPlay.growthPercent(level: $1.level) }
        maximumHealth = entry.healthPerHero * percents / 100
        attack = entry.attack * (percents / heroes.count) * Self.attackPercent(against: heroes.count) / 10_000
        self.id = id
        health = maximumHealth
        isWindingUp = false
    }

    /// The boss's place in the order of turns.
    var speed: Int { Self.entry(id).speed }

    /// How strong its attack is against so many heroes; against four as the catalogue says.
    ///
    /// Of its moves one hits a single hero and one hits all. What each hero of a party takes from both, round after
    /// round, is about `1/2 + 1/heroes` of its attack; so this makes it the same for a party of any size.
    private static func attackPercent(against heroes: Int) -> Int {
        150 * heroes / (heroes + 2)
    }

    private static func entry(_ id: BossID) -> BossCatalogue.Entry {
        guard let entry = BossCatalogue[id] else { preconditionFailure("no boss '\(id)' in the catalogue") }
        return entry
    }
}

extension BossInPlay {
    private enum CodingKeys: String, CodingKey {
        case id
        case health
        case maximumHealth
        case attack
        case isWindingUp = "windingUp"
    }
}
