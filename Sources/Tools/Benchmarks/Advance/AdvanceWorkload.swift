import Foundation
import GameCore

/// The adventures that `rangers-bench advance` plays, encodes and decodes.
struct AdvanceWorkload {
    /// The number of adventures of each kind, which are played in turns.
    private static let openings: UInt64 = 120
    /// The tick at which the fights of eight heroes are encoded and decoded.
    private static let storedTick = 40
    /// The number of encodings or decodings between two readings of the clock.
    private static let repetitions = 20

    private let fights: [Adventure]
    private let fightsOfEight: [Adventure]
    private let journeys: [Adventure]
    /// A fight of eight heroes against each boss.
    private let states: [StoredState]
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    /// One state in both forms.
    private struct StoredState {
        let adventure: Adventure
        let text: String
        let comparison: JSONState
        let json: Data
    }

    init() throws {
        let bosses = BossCatalogue.all.map { AdventureContent.boss($0.id) }
        fights = Self.openings(of: bosses, partySize: 4)
        fightsOfEight = Self.openings(of: bosses, partySize: 8)
        journeys = Self.openings(of: RegionCatalogue.all.map { .region($0.id) }, partySize: 4)
        states = try fightsOfEight.prefix(bosses.count).map { opening in
            var fight = opening
            _ = try fight.advance(.start)
            while fight.tick < Self.storedTick, fight.status == .running { _ = try fight.advance(.tick) }
            let comparison = JSONState(of: fight)
            let json = try JSONEncoder().encode(comparison)
            return StoredState(adventure: fight, text: fight.encoded, comparison: comparison, json: json)
        }
    }

    /// The mean size of the stored states.
    var encodedBytes: Int { states.reduce(0) { $0 + $1.text.utf8.count } / states.count }
    /// The mean size of the same states in JSON.
    var jsonBytes: Int { states.reduce(0) { $0 + $1.json.count } / states.count }

    /// Measures one figure in one run.
    func measure(_ figure: AdvanceFigure, for length: Duration) throws -> Double {
        switch figure {
        case .ticksPerSecond: try Self.ticksPerSecond(of: fights, for: length) { _ in .tick }
        case .journeyTicksPerSecond: try Self.ticksPerSecond(of: journeys, for: length) { _ in .tick }
        case .commandTicksPerSecond: try Self.ticksPerSecond(of: fights, for: length) { $0.command }
        case .ticksOfEightPerSecond: try Self.ticksPerSecond(of: fightsOfEight, for: length) { _ in .tick }
        case .encodeMicroseconds:
            try microseconds(for: length) { $0.adventure.encoded.utf8.count == $0.text.utf8.count }
        case .decodeMicroseconds:
            try microseconds(for: length) { try Adventure(encoded: $0.text).sequence == $0.adventure.sequence }
        case .jsonEncodeMicroseconds:
            try microseconds(for: length) { try encoder.encode($0.comparison).count == $0.json.count }
        case .jsonDecodeMicroseconds:
            try microseconds(for: length) {
                try decoder.decode(JSONState.self, from: $0.json).sequence == $0.comparison.sequence
            }
        }
    }

    private static func openings(of contents: [AdventureContent], partySize: Int) -> [Adventure] {
        (0..<openings).map { seed in
            let heroes = RandomParty.heroes(partySize, level: 1, seed: seed)
            return contents[Int(seed) % contents.count].opening(heroes: heroes, seed: seed)
        }
    }

    /// Plays adventures to their end, reusing one buffer for their events.
    private static func ticksPerSecond(
        of openings: [Adventure],
        for length: Duration,
        by input: (Adventure) -> AdventureInput
    )
        throws(AdventureRefusal) -> Double
    {
        var events: [AdventureEvent] = []
        var next = 0
        return try Stopwatch.perSecond(for: length) { () throws(AdventureRefusal) in
            var adventure = openings[next]
            next = (next + 1) % openings.count
            events.removeAll(keepingCapacity: true)
            try adventure.advance(.start, appendingTo: &events)
            while adventure.status == .running {
                events.removeAll(keepingCapacity: true)
                try adventure.advance(input(adventure), appendingTo: &events)
            }
            return adventure.tick
        }
    }

    /// Measures the time of handling one state.
    ///
    /// `handle` returns whether its result is correct, which also keeps the compiler from removing the work.
    private func microseconds(for length: Duration, _ handle: (StoredState) throws -> Bool) throws -> Double {
        let perSecond = try Stopwatch.perSecond(for: length) {
            for state in states {
                for _ in 0..<Self.repetitions {
                    let isCorrect = try handle(state)
                    precondition(isCorrect, "encoding or decoding changed a state")
                }
            }
            return states.count * Self.repetitions
        }
        return 1_000_000 / perSecond
    }
}

extension Adventure {
    /// The input that resolves the open turn: an attack of its hero, or a tick in the boss's turn.
    fileprivate var command: AdventureInput {
        if let hero = turn?.hero { .command(.attack, by: heroes[hero.rawValue].playerID) } else { .tick }
    }
}

/// The state of a boss fight as a plain `Codable` type, for the comparison with Foundation's JSON.
struct JSONState: Codable, Hashable {
    struct Boss: Codable, Hashable {
        let id: BossID
        let health: Int
        let maximumHealth: Int
        let phase: Int
        let isWindingUp: Bool
        let weakenedTurns: Int
        let exposedBlows: Int
    }

    struct Hero: Codable, Hashable {
        let id: HeroID
        let playerID: PlayerID
        let startingLevel: Int
        let experience: Int
        let health: Int
        let maximumHealth: Int
        let potions: Int
        let cooldown: Int
        let policy: TurnPolicy
        let isGuarding: Bool
        let isChallenging: Bool
        let hasLeft: Bool
    }

    let kind: AdventureKind
    let tick: Int
    let sequence: Int
    let rules: Int
    let turn: Int?
    let turnOf: Seat?
    let boss: Boss?
    let heroes: [Hero]

    /// Creates the visible state of an adventure: all that is stored except the generator and the boss's strength.
    init(of adventure: Adventure) {
        kind = adventure.kind
        tick = adventure.tick
        sequence = adventure.sequence
        rules = adventure.rules
        turn = adventure.turn?.number
        turnOf = adventure.turn?.hero
        boss = adventure.boss.map {
            Boss(
                id: $0.id,
                health: $0.health,
                maximumHealth: $0.maximumHealth,
                phase: $0.phase,
                isWindingUp: $0.isWindingUp,
                weakenedTurns: $0.weakenedTurns,
                exposedBlows: $0.exposedBlows
            )
        }
        heroes = adventure.heroes.map {
            Hero(
                id: $0.id,
                playerID: $0.playerID,
                startingLevel: $0.startingLevel,
                experience: $0.experience,
                health: $0.health,
                maximumHealth: $0.maximumHealth,
                potions: $0.potions,
                cooldown: $0.cooldown,
                policy: $0.policy,
                isGuarding: $0.isGuarding,
                isChallenging: $0.isChallenging,
                hasLeft: $0.hasLeft
            )
        }
    }
}
