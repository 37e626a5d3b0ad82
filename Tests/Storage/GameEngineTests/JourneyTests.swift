import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import ServiceRuntime
import TestSupport
import Testing

@Suite struct JourneyTests {
    @Test func `a journey ticks once per interval, and its log has no gaps`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let started = try await world.startJourney(party)
            let engine = world.engine()
            #expect(try await engine.runPollCycle().moves == 0)
            for tick in 1...5 {
                world.clock.advance(by: started.startedAt + .seconds(10 * tick) - world.clock.now - .microseconds(1))
                #expect(try await engine.runPollCycle().moves == 1)
                #expect(try await world.adventure(of: party.id).adventure.tick == tick - 1)
                world.clock.advance(by: .milliseconds(250))
                #expect(try await engine.runPollCycle().moves == 1)
                #expect(try await engine.runPollCycle().moves == 0)
                #expect(try await world.adventure(of: party.id).adventure.tick == tick)
            }
            let stored = try await world.adventure(of: party.id)
            let events = try await world.store.events(of: started.id, after: 0, limit: 1_000)
            #expect(events.map(\.sequence) == Array(1...stored.adventure.sequence))
            #expect(events.allSatisfy { $0.at == started.startedAt + .seconds(10 * $0.tick) })
            for page in 0..<events.count {
                let rest = try await world.store.events(of: started.id, after: page, limit: 2)
                #expect(rest.map(\.event) == events.dropFirst(page).prefix(2).map(\.event))
            }
            let log = try await world.store.log(of: started.id.shard, after: 0, limit: 1_000)
            #expect(log.map(\.position) == Array(1...Int64(log.count)))
        }
    }

    @Test func `concurrent engines record every end exactly once`() async throws {
        try await World.with { world in
            var adventures: [AdventureID] = []
            for number in 0..<12 {
                let party = try await world.party(of: [world.player("Player \(number)")])
                adventures.append(try await world.startJourney(party).id)
            }
            let engines = [world.engine(), world.engine(), world.engine()]
            var ends = 0
            for _ in 0..<60 {
                world.clock.advance(by: .seconds(10))
                ends += try await withThrowingTaskGroup { group in
                    for engine in engines { group.addTask { try await engine.runPollCycle().ends } }
                    return try await group.reduce(0, +)
                }
            }
            // A shard that another engine held is skipped.
            world.clock.advance(by: .seconds(10))
            ends += try await engines[0].runPollCycle().ends
            #expect(ends == 12)
            for id in adventures {
                let log = try await world.store.log(of: id.shard, after: 0, limit: 1_000).filter {
                    $0.adventureID == id
                }
                #expect(log.count == 2)
                _ = try await world.store.replay(id)
            }
        }
    }

    @Test func `missed ticks are derived in order`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let started = try await world.startJourney(party)
            world.clock.advance(by: .seconds(35))
            #expect(try await world.store.adventure(started.id)?.adventure.tick == 0)
            #expect(try await world.engine().runPollCycle().moves == 1)
            #expect(try await world.store.adventure(started.id)?.adventure.tick == 3)
        }
    }

    @Test func `after the end of a journey the party is idle, and its heroes keep their experience`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben", hero: "boulder")])
            let started = try await world.startJourney(party)
            let engine = world.engine()
            var ends = 0
            while ends == 0 {
                world.clock.advance(by: .seconds(10))
                ends = try await engine.runPollCycle().ends
            }
            let stored = try #require(try await world.store.adventure(started.id))
            let end = try #require(stored.endedAt)
            #expect(end <= world.clock.now && end > world.clock.now - .seconds(10))
            let events = try await world.store.events(of: started.id, after: 0, limit: 10_000)
            #expect(events.last?.at == end && events.last?.sequence == stored.adventure.sequence)
            let outcome = try #require(stored.adventure.outcome)
            #expect(events.last?.event == .adventureEnded(outcome: outcome))

            let experience = stored.adventure.heroes.map(\.experience)
            #expect(experience.contains { $0 > 0 })
            let idle = try await world.party(party.id)
            #expect(idle.adventureID == nil && idle.members.map(\.experience) == experience)
            let next = try await world.startJourney(party)
            #expect(next.adventure.heroes.map(\.experience) == experience)
        }
    }

    @Test func `a party can start its next adventure right after its end, even if no engine runs`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let first = try await world.startJourney(party)
            world.clock.advance(by: .seconds(10 * 40 - 1))
            await #expect(throws: CommandError.party(.adventureRunning)) { try await world.startJourney(party) }
            world.clock.advance(by: .seconds(2_000))
            let second = try await world.startJourney(party)
            #expect(second.id != first.id && second.startedAt == world.clock.now)
            #expect(try await world.store.adventure(first.id)?.endedAt ?? second.startedAt < second.startedAt)
            #expect(try await world.store.backlogStatistics().journeys == 1)
            _ = try await world.store.replay(first.id)

            // Members join and leave a party whose adventure has just ended.
            world.clock.advance(by: .seconds(2_000))
            let ben = try await world.player("Ben")
            _ = try await world.join(party, ben)
            #expect(try await world.party(party.id).adventureID == nil)
            _ = try await world.startJourney(party)
            world.clock.advance(by: .seconds(2_000))
            _ = try await world.commands.removeMember(ben, of: party.id, by: ben, request: nil)
            #expect(try await world.party(party.id).members.count == 1)
            #expect(try await world.store.backlogStatistics().journeys == 0)
        }
    }

    @Test func `only the leader starts a journey, and only one at a time`() async throws {
        try await World.with { world in
            let (leader, other) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: [leader, other])
            func start(by player: PlayerID) async throws {
                _ = try await world.commands.startJourney(
                    of: party.id,
                    in: RegionCatalogue.all[0].id,
                    by: player,
                    request: nil
                ) { _ in EncodedResponse(status: 201, body: "") }
            }
            await #expect(throws: CommandError.party(.notALeader)) { try await start(by: other) }
            try await start(by: leader)
            await #expect(throws: CommandError.party(.adventureRunning)) { try await start(by: leader) }
            let stranger = try await world.player("Eve")
            await #expect(throws: CommandError.unknownParty) { try await start(by: stranger) }
        }
    }
}
