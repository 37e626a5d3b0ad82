import Testing

@testable import GameCore

/// The comparison of a replay with the stored log and state.
struct ReplayTests {
    /// A stored fight that was played with commands between its ticks.
    private struct StoredFight {
        let opening: Adventure
        var inputs: [(sequence: Int, input: AdventureInput)] = []
        var log: [AdventureEvent] = []
        var stored: Adventure
        /// The index of an event that is missing from the log.
        var lost: Int?

        init(seed: UInt64, heroes: Int = 3, rules: RulesVersion = .current) throws {
            opening = GameWorld.opening(.bossFight, heroes: heroes, seed: seed, rules: rules)
            stored = opening
            log = try stored.advance(.start)
            for number in 0..<12 where stored.status == .running {
                if heroes > 1, number == 5 { try take(.join(GameWorld.hero(9, "inky"))) }
                if let seat = stored.turn?.hero, number % 2 == 0 {
                    try take(.command(.guardUp, by: stored.heroes[seat].playerID))
                } else {
                    log += try stored.advance(.tick)
                }
            }
        }

        var verdict: ReplayVerdict {
            let log = log.enumerated().filter { $0.offset != lost }.map { ($0.offset + 1, $0.element) }
            return Adventure.checkReplay(of: opening, inputs: inputs, log: log, stored: stored)
        }

        private mutating func take(_ input: AdventureInput) throws {
            inputs.append((stored.sequence, input))
            log += try stored.advance(input)
        }
    }

    @Test(arguments: GameWorld.seeds) func `an intact log and state are the same`(seed: UInt64) throws {
        let fight = try StoredFight(seed: seed)
        #expect(fight.inputs.count > 2)
        #expect(fight.verdict == .same)
    }

    @Test func `the first differing event is reported with both sides`() throws {
        var fight = try StoredFight(seed: 3)
        let replayed = fight.log[7]
        fight.log[7] = .partyWiped
        fight.log[9] = .partyWiped
        #expect(fight.verdict == .event(sequence: 8, stored: .partyWiped, replayed: replayed))
    }

    @Test func `a log that is too short or too long differs at its end`() throws {
        var fight = try StoredFight(seed: 3)
        let last = fight.log.removeLast()
        #expect(fight.verdict == .event(sequence: fight.log.count + 1, stored: nil, replayed: last))
        fight.log += [last, .partyWiped]
        #expect(fight.verdict == .event(sequence: fight.log.count, stored: .partyWiped, replayed: nil))
    }

    @Test func `a missing event is reported by its sequence`() throws {
        var fight = try StoredFight(seed: 3)
        fight.lost = 4
        #expect(fight.verdict == .event(sequence: 5, stored: nil, replayed: fight.log[4]))
    }

    @Test func `a refused input is reported with the refusal`() throws {
        var fight = try StoredFight(seed: 3)
        fight.inputs.insert((fight.inputs[0].sequence, .join(GameWorld.hero(0))), at: 0)
        #expect(
            fight.verdict
                == .input(.join(GameWorld.hero(0)), afterSequence: fight.inputs[0].sequence, .alreadyAMember)
        )
    }

    @Test func `a missing input makes the events differ`() throws {
        var fight = try StoredFight(seed: 3)
        fight.inputs.remove(at: 0)
        guard case .event = fight.verdict else {
            Issue.record("\(fight.verdict)")
            return
        }
    }

    @Test func `equal events with a different state differ in the state`() throws {
        var fight = try StoredFight(seed: 3)
        let replayed = fight.stored.encoded
        fight.stored.heroes[1].potions += 1
        #expect(fight.verdict == .state(stored: fight.stored.encoded, replayed: replayed))
    }

    @Test(arguments: RulesVersion.allCases) func `an adventure is replayed under the rules with which it began`(
        rules: RulesVersion
    ) throws {
        for seed in GameWorld.seeds {
            let fight = try StoredFight(seed: seed, heroes: 1, rules: rules)
            #expect(fight.stored.rules == rules && fight.verdict == .same)
        }
    }

    @Test func `the rules of another version give other events`() throws {
        let fights = try RulesVersion.allCases.map { try StoredFight(seed: 3, heroes: 1, rules: $0) }
        #expect(Set(fights.map(\.log)).count == fights.count)
    }
}
