import Testing

@testable import GameCore

/// What a replay says of an adventure and its log.
struct ReplayTests {
    /// A fight that was played with commands between its ticks, as the server stores it.
    private struct Record {
        let opening: Adventure
        var inputs: [(sequence: Int, input: Input)] = []
        var log: [Event] = []
        var stored: Adventure
        /// Which event is not in the log any more.
        var lost: Int?

        init(seed: UInt64) throws {
            opening = GameWorld.opening(.bossFight, heroes: 3, seed: seed)
            stored = opening
            log = try stored.advance(.start)
            for number in 0..<12 where stored.status == .running {
                if number == 5 { try take(.join(GameWorld.hero(9, "inky"))) }
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

        private mutating func take(_ input: Input) throws {
            inputs.append((stored.sequence, input))
            log += try stored.advance(input)
        }
    }

    @Test(arguments: GameWorld.seeds) func `what was stored as it was played is the same`(seed: UInt64) throws {
        let record = try Record(seed: seed)
        #expect(record.inputs.count > 2)
        #expect(record.verdict == .same)
    }

    @Test func `the first event that differs is told with both sides`() throws {
        var record = try Record(seed: 3)
        let replayed = record.log[7]
        record.log[7] = .partyWiped
        record.log[9] = .partyWiped
        #expect(record.verdict == .event(sequence: 8, stored: .partyWiped, replayed: replayed))
    }

    @Test func `a log that ends too early, or too late, differs where one side has no more`() throws {
        var record = try Record(seed: 3)
        let last = record.log.removeLast()
        #expect(record.verdict == .event(sequence: record.log.count + 1, stored: nil, replayed: last))
        record.log += [last, .partyWiped]
        #expect(record.verdict == .event(sequence: record.log.count, stored: .partyWiped, replayed: nil))
    }

    @Test func `an event that was lost is told by its own sequence`() throws {
        var record = try Record(seed: 3)
        record.lost = 4
        #expect(record.verdict == .event(sequence: 5, stored: nil, replayed: record.log[4]))
    }

    @Test func `an input that is refused is told with the refusal`() throws {
        var record = try Record(seed: 3)
        record.inputs.insert((record.inputs[0].sequence, .join(GameWorld.hero(0))), at: 0)
        #expect(
            record.verdict
                == .input(.join(GameWorld.hero(0)), afterSequence: record.inputs[0].sequence, .alreadyAMember)
        )
    }

    @Test func `an input that was lost shows in the events`() throws {
        var record = try Record(seed: 3)
        record.inputs.remove(at: 0)
        guard case .event = record.verdict else {
            Issue.record("\(record.verdict)")
            return
        }
    }

    @Test func `the same events with another state differ in the state`() throws {
        var record = try Record(seed: 3)
        let replayed = record.stored.encoded
        record.stored.heroes[1].potions += 1
        #expect(record.verdict == .state(stored: record.stored.encoded, replayed: replayed))
    }

    @Test func `what began under other rules is not judged`() throws {
        let record = try Record(seed: 3)
        var opening = record.opening
        opening.rules = 1
        let verdict = Adventure.checkReplay(of: opening, inputs: [], log: [], stored: record.stored)
        #expect(verdict == .otherRules(1))
    }
}
