import Encodings
package import GameCore
package import PushCadence
import PushRules

// The adventures of the followers that run alone, and the words for what they send.

extension PlayerID {
    /// The player of a hero by its seat, the same in all adventures.
    package static func player(_ seat: Int) -> Self {
        var generator = SeededGenerator(seed: UInt64(seat))
        return PlayerID(at: Timestamp(epochSeconds: 0), using: &generator)
    }
}

extension DeviceID {
    /// A device by its number, the same in all runs.
    package static func device(_ number: Int) -> Self {
        var generator = SeededGenerator(seed: UInt64(number))
        return DeviceID(at: Timestamp(epochSeconds: 1), using: &generator)
    }
}

extension Adventure {
    private static let pair = [
        Hero(playerID: .player(0), id: "spouty", level: 5, potions: 1),
        Hero(playerID: .player(1), id: "bamboo", level: 5, potions: 1),
    ]

    /// A boss fight of two heroes.
    package static let fight = bossFight(against: "glitch", heroes: pair, seed: 1, rules: .v3)
    /// A boss fight of two heroes who are the same.
    package static let twins = bossFight(
        against: "glitch",
        heroes: (0..<2).map { Hero(playerID: .player($0), id: "spouty", level: 5, potions: 1) },
        seed: 1,
        rules: .v3
    )
    /// A journey of two heroes.
    package static let walk = journey(in: "meadow", heroes: pair, seed: 1, rules: .v3)

    /// The fight of two heroes in a raid.
    package static let raidFight = raid(
        RaidOpening(
            raidID: raidID,
            boss: "cinderwing",
            maximumHealth: 1_000,
            healthLeft: 1_000,
            phase: 1,
            decision: 0,
            dealtBefore: 0,
            countsFrom: Timestamp(epochSeconds: 0)
        ),
        heroes: pair,
        seed: 1
    )
    /// The raid of ``raidFight``.
    package static let raidID: RaidID = {
        var generator = SeededGenerator(seed: 1)
        return RaidID(at: Timestamp(epochSeconds: 0), using: &generator)
    }()

    package static func named(_ name: Substring) -> Self {
        switch name {
        case "walk": walk
        case "twins": twins
        case "raid": raidFight
        default: fight
        }
    }
}

extension Duration {
    /// The time between two ticks of a journey, or of a turn.
    package static func interval(of name: Substring) -> Self { name == "walk" ? .seconds(10) : .seconds(15) }
}

extension CadencePolicy {
    /// A policy with a budget of three pushes at priority 10, of which two are reserved for alerts.
    package static let frugal: Self = {
        var policy = Self()
        policy.frequent.highCapacity = 3
        policy.frequent.alertReserve = 2
        return policy
    }()

    /// A policy whose activities say after 20 seconds that they end soon, and end after 60 seconds.
    package static let shortLived: Self = {
        var policy = Self()
        policy.ageWarningBefore = maxLifetime - .seconds(20)
        policy.ageEndBefore = maxLifetime - .seconds(60)
        return policy
    }()
}

/// Identifiers and tokens that are the same in each run; identifiers ascend.
package struct SeededIDs {
    private var generator = SeededGenerator(seed: 0)
    private var count: Int64 = 0

    package init() {}

    package mutating func adventure() -> AdventureID {
        AdventureID(at: nextMoment(), in: ShardDatabase.shard, using: &generator)
    }

    package mutating func activity() -> ActivityID { ActivityID(at: nextMoment(), using: &generator) }

    package mutating func token() -> [UInt8] {
        count += 1
        return [UInt8](repeating: 0, count: 24) + (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    }

    private mutating func nextMoment() -> Timestamp {
        count += 1
        return Timestamp(epochSeconds: count)
    }
}

extension SendReason {
    /// The reason in few words, with the kind of an alert.
    var word: String {
        switch self {
        case .alert(let kind): kind.word
        case .end(.adventureOver): "end"
        case .end(let reason): "end \(reason)"
        case .activityEndsSoon, .newToken, .requested, .turn, .turnWithoutFrequentPushes, .turnDemoted, .low: "\(self)"
        }
    }
}

extension Drop.Subject {
    var word: String {
        switch self {
        case .alert(let kind): kind.word
        case .state: "state"
        case .end: "end"
        }
    }
}

extension AlertKind {
    var word: String {
        switch self {
        case .ownHeroDown, .heroInDanger, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver: "\(self)"
        case .companionDown(let seat): "companionDown(\(seat.rawValue))"
        }
    }
}

/// The generator of the game, as the standard library wants generators.
struct SeededGenerator: RandomNumberGenerator {
    private var generator: Generator

    init(seed: UInt64) { generator = Generator(seed: seed) }

    mutating func next() -> UInt64 {
        UInt64(generator.number(below: 1 << 32)) << 32 | UInt64(generator.number(below: 1 << 32))
    }
}
