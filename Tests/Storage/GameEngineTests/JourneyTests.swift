import GameCore
import GameEngine
import GameStore
import GameTestSupport
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@Suite struct JourneyTests {
    @Test func `a journey ticks once per interval, and its log has no gaps`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let started = try await world.startJourney(party)
            let engine = world.engine()
            #expect(try await engine.runPollCycle().ticks == 0)
            var played = 0
            for _ in 0..<5 {
                world.clock.advance(by: .seconds(10))
                played += try await engine.runPollCycle().ticks
                #expect(try await engine.runPollCycle().ticks == 0)
            }
            #expect(played == 5)
            let stored = try #require(try await world.store.adventure(started.id))
            #expect(stored.adventure.tick == 5)
            let events = try await world.store.events(of: started.id, after: 0, limit: 1_000)
            #expect(events.map(\.sequence) == Array(1...stored.adventure.sequence))
            let log = try await world.store.log(of: started.id.shard, after: 0, limit: 1_000)
            #expect(log.map(\.position) == Array(1...Int64(log.count)))
        }
    }

    @Test func `concurrent engines play every tick exactly once`() async throws {
        try await World.with { world in
            var adventures: [AdventureID] = []
            for number in 0..<12 {
                let party = try await world.party(of: [world.player("Player \(number)")])
                adventures.append(try await world.startJourney(party).id)
            }
            let engines = [world.engine(), world.engine(), world.engine()]
            var played = 0
            for _ in 0..<8 {
                world.clock.advance(by: .seconds(10))
                played += try await withThrowingTaskGroup { group in
                    for engine in engines { group.addTask { try await engine.runPollCycle().ticks } }
                    return try await group.reduce(0, +)
                }
                // Shards skipped because another engine held them are played by the next cycle.
                played += try await engines[0].runPollCycle().ticks
            }
            #expect(played == 12 * 8)
            for id in adventures {
                let stored = try #require(try await world.store.adventure(id))
                #expect(stored.adventure.tick == 8)
                let events = try await world.store.events(of: id, after: 0, limit: 1_000)
                #expect(events.map(\.sequence) == Array(1...stored.adventure.sequence))
            }
        }
    }

    @Test func `missed ticks are caught up in order`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let started = try await world.startJourney(party)
            world.clock.advance(by: .seconds(35))
            #expect(try await world.engine().runPollCycle().ticks == 3)
            #expect(try await world.store.adventure(started.id)?.adventure.tick == 3)
        }
    }

    @Test func `an undecodable adventure does not affect others`() async throws {
        try await World.with { world in
            var adventures: [StoredAdventure] = []
            for number in 0..<6 {
                let party = try await world.party(of: [world.player("Player \(number)")])
                adventures.append(try await world.startJourney(party))
            }
            let party = try await world.party(of: [world.player("Fighter")])
            let boss = BossCatalogue.all[0].id
            let fight = try await world.commands.startBossFight(of: party.id, against: boss, by: .test)
            for broken in [adventures[0].id, fight.id] {
                _ = try await world.pool.query(
                    PostgresQuery(
                        Statement(
                            "test.break",
                            "UPDATE adventures SET state = '{}' WHERE shard = $1 AND adventure_id = $2"
                        ),
                        Int16(broken.shard.rawValue),
                        broken.rawValue
                    )
                )
            }
            let engine = world.engine()
            for _ in 0..<3 {
                world.clock.advance(by: .seconds(15))
                #expect(try await engine.runPollCycle().failures == 0)
            }
            for whole in adventures.dropFirst() {
                #expect(try await world.store.adventure(whole.id)?.adventure.tick == 4)
            }
        }
    }

    @Test func `a shard is due only when a phase of its journeys has come`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let started = try await world.startJourney(party)
            func due() async throws -> [Shard] {
                try await world.store.shardsDue(at: world.runtime.now(), slotMicroseconds: 100_000)
            }
            for _ in 0..<99 {
                #expect(try await due() == [])
                world.clock.advance(by: .milliseconds(100))
            }
            world.clock.advance(by: .milliseconds(100))
            #expect(try await due() == [started.id.shard])
            #expect(try await world.engine().runPollCycle().ticks == 1)
            #expect(try await due() == [])
        }
    }

    @Test func `after the end of a journey the party is idle`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let started = try await world.startJourney(party)
            let engine = world.engine()
            for _ in 0..<40 {
                world.clock.advance(by: .seconds(100))
                _ = try await engine.runPollCycle()
            }
            let stored = try #require(try await world.store.adventure(started.id))
            #expect(stored.endedAt != nil)
            #expect(try await world.party(party.id).adventureID == nil)
            let last = try await world.store.events(of: started.id, after: 0, limit: 10_000).last
            guard case .adventureEnded = last?.event else {
                Issue.record("the last event is \(String(describing: last))")
                return
            }
            #expect(try await world.engine().runPollCycle().ticks == 0)
            _ = try await world.startJourney(party)
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
