import Foundation
import GameCore

/// The adventures that `rangers-bench advance` plays, reads and writes.
struct AdvanceWorkload {
    /// How many adventures of each kind are played in turn; the next round begins with the first.
    private static let openings: UInt64 = 120
    /// Where the fights of eight are whose state is read and written.
    private static let storedTick = 40
    /// How often a state is read or written between two looks at the clock.
    private static let repetitions = 20

    private let fights: [Adventure]
    private let fightsOfEight: [Adventure]
    private let journeys: [Adventure]
    /// A fight of eight against each boss.
    private let states: [StoredState]
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    /// One state in both forms.
    private struct StoredState {
        let adventure: Adventure
        let text: String
        let comparison: ComparisonState
        let json: Data
    }

    init() throws {
        let bosses = BossCatalogue.all.map { Content.boss($0.id) }
        fights = Self.openings(of: bosses, partySize: 4)
        fightsOfEight = Self.openings(of: bosses, partySize: 8)
        journeys = Self.openings(of: RegionCatalogue.all.map { .region($0.id) }, partySize: 4)
        states = try fightsOfEight.prefix(bosses.count).map { opening in
            var fight = opening
            _ = try fight.advance(.start)
            while fight.tick < Self.storedTick, fight.status == .running { _ = try fight.advance(.tick) }
            let comparison = ComparisonState(of: fight)
            return StoredState(
                adventure: fight,
                text: fight.encoded,
                comparison: comparison,
                json: try JSONEncoder().encode(comparison)
            )
        }
    }

    /// Of the state of eight heroes as it is stored, on average.
    var encodedBytes: Int { states.reduce(0) { $0 + $1.text.utf8.count } / states.count }
    /// Of the same in JSON.
    var jsonBytes: Int { states.reduce(0) { $0 + $1.json.count } / states.count }

    /// Measures one figure in a run of some length.
    func measure(_ figure: AdvanceFigure, for length: Duration) throws -> Double {
        switch figure {
        case .ticksPerSecond: try Self.ticksPerSecond(of: fights, for: length) { _ in .tick }
        case .journeyTicksPerSecond: try Self.ticksPerSecond(of: journeys, for: length) { _ in .tick }
        case .commandTicksPerSecond: try Self.ticksPerSecond(of: fights, for: length) { $0.inputByCommand }
        case .ticksOfEightPerSecond: try Self.ticksPerSecond(of: fightsOfEight, for: length) { _ in .tick }
        case .encodeMicroseconds:
            try microseconds(for: length) { $0.adventure.encoded.utf8.count == $0.text.utf8.count }
        case .decodeMicroseconds:
            try microseconds(for: length) { try Adventure(encoded: $0.text).sequence == $0.adventure.sequence }
        case .jsonEncodeMicroseconds:
            try microseconds(for: length) { try encoder.encode($0.comparison).count == $0.json.count }
        case .jsonDecodeMicroseconds:
            try microseconds(for: length) {
                try decoder.decode(ComparisonState.self, from: $0.json).sequence == $0.comparison.sequence
            }
        }
    }

    private static func openings(of contents: [Content], partySize: Int) -> [Adventure] {
        (0..<openings).map { seed in
            let heroes = DrawnParty.heroes(partySize, level: 1, seed: seed)
            return contents[Int(seed) % contents.count].opening(heroes: heroes, seed: seed)
        }
    }

    /// Plays adventures to their end, all with one buffer for their events.
    private static func ticksPerSecond(
        of openings: [Adventure],
        for length: Duration,
        by input: (Adventure) -> Input
    ) throws(Refusal) -> Double {
        var events: [Event] = []
        var next = 0
        return try Stopwatch.perSecond(for: length) { () throws(Refusal) in
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

    /// Handles each state some times; what it says proves that it was done, and keeps the compiler from leaving it out.
    private func microseconds(for length: Duration, _ handle: (StoredState) throws -> Bool) throws -> Double {
        let perSecond = try Stopwatch.perSecond(for: length) {
            for state in states {
                for _ in 0..<Self.repetitions {
                    let isRight = try handle(state)
                    precondition(isRight, "a state that was read or written is another one")
                }
            }
            return states.count * Self.repetitions
        }
        return 1_000_000 / perSecond
    }
}

extension Adventure {
    /// What resolves the open turn: an attack by whose turn it is, or a tick when it is the boss's.
    fileprivate var inputByCommand: Input {
        if let hero = turn?.hero { .command(.attack, by: heroes[hero.rawValue].playerID) } else { .tick }
    }
}
