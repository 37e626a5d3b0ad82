import Encodings
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

    /// A state and its stored form.
    private struct StoredState {
        let adventure: Adventure
        let text: String
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
            return StoredState(adventure: fight, text: fight.encoded)
        }
    }

    /// The mean size of the stored states.
    var encodedBytes: Int { states.reduce(0) { $0 + $1.text.utf8.count } / states.count }

    /// Measures one figure in one run.
    func measure(_ figure: AdvanceFigure, for length: Duration) throws -> Double {
        switch figure {
        case .ticksPerSecond: try Self.ticksPerSecond(of: fights, for: length) { _ in .tick }
        case .journeyTicksPerSecond: try Self.ticksPerSecond(of: journeys, for: length) { _ in .tick }
        case .commandTicksPerSecond: try Self.ticksPerSecond(of: fights, for: length) { $0.command }
        case .timelineTicksPerSecond: Self.timelineTicksPerSecond(of: fights, for: length)
        case .ticksOfEightPerSecond: try Self.ticksPerSecond(of: fightsOfEight, for: length) { _ in .tick }
        case .encodeMicroseconds:
            try microseconds(for: length) { $0.adventure.encoded.utf8.count == $0.text.utf8.count }
        case .decodeMicroseconds:
            try microseconds(for: length) { try Adventure(encoded: $0.text).sequence == $0.adventure.sequence }
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

    /// Plays timelines to their end, reusing one buffer for their events.
    private static func timelineTicksPerSecond(of openings: [Adventure], for length: Duration) -> Double {
        var events: [AdventureEvent] = []
        var next = 0
        return Stopwatch.perSecond(for: length) {
            events.removeAll(keepingCapacity: true)
            var timeline = Timeline(
                starting: openings[next],
                at: Timestamp(epochSeconds: 0),
                interval: .seconds(30),
                appendingTo: &events
            )
            next = (next + 1) % openings.count
            while let due = timeline.nextTickAt {
                events.removeAll(keepingCapacity: true)
                _ = timeline.playTick(dueBy: due, appendingTo: &events)
            }
            return timeline.adventure.tick
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
