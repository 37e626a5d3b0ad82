import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PostgresClient
import RangersMetrics
import TestSupport
import Testing

/// Times without an engine, or without a database, in which the games stand still.
@Suite struct OutageTests {
    private static let limit = Duration.seconds(2)
    private static let boss = BossCatalogue.all[0].id

    private func with(_ body: @Sendable (World) async throws -> Void) async throws {
        var options = World.Options()
        options.outageLimit = Self.limit
        try await World.with(options, body)
    }

    private func outages(_ world: World, _ shard: Shard) async throws -> [Duration] {
        try await world.store.log(of: shard, after: 0, limit: 1_000).compactMap { entry in
            if case .outage(let duration) = entry.content { duration } else { nil }
        }
    }

    @Test(arguments: [2_001, 14_000, 15_000, 3_600_000, 86_400_000 * 30])
    func `a fight loses no turn, however long an outage was`(milliseconds: Int) async throws {
        try await with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let fight = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            let deadline = try #require(fight.turnDueAt)
            try await world.play(for: .milliseconds(14_500))
            let outage = Duration.milliseconds(milliseconds)
            world.clock.advance(by: outage)
            // Until the clock is moved, readers see the state and the deadline from before.
            #expect(try await world.adventure(of: party.id).turnDueAt == deadline)
            #expect(try await world.engine().runPollCycle().moves == 1)
            let after = try await world.adventure(of: party.id)
            #expect(after.adventure.tick == 0 && after.turnDueAt == deadline + outage)
            try await world.play(for: .milliseconds(800))
            #expect(try await world.adventure(of: party.id).adventure.tick == 1)
            #expect(try await outages(world, party.id.shard) == [outage])
            #expect(await world.registry.text().contains("\nrangers_outages_total 1\n"))
        }
    }

    @Test func `a gap within the limit is none, and its ticks are played`() async throws {
        try await with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let journey = try await world.startJourney(party)
            try await world.play(for: .seconds(9))
            world.clock.advance(by: Self.limit)
            _ = try await world.engine().runPollCycle()
            #expect(try await world.adventure(of: party.id).adventure.tick == 1)
            #expect(try await outages(world, journey.id.shard).isEmpty)
        }
    }

    @Test func `a journey goes on without a burst after several outages, and ends when it should`() async throws {
        try await with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let journey = try await world.startJourney(party)
            let shard = journey.id.shard
            var gaps: [Duration] = []
            for seconds in [600, 7, 86_400] {
                try await world.play(for: .seconds(25))
                let tick = try await world.adventure(of: party.id).adventure.tick
                gaps.append(.seconds(seconds))
                world.clock.advance(by: .seconds(seconds))
                _ = try await world.engine().runPollCycle()
                #expect(try await world.adventure(of: party.id).adventure.tick == tick)
            }
            #expect(try await outages(world, shard) == gaps)
            let stopped = gaps.reduce(.zero, +)
            while try await world.store.backlogStatistics().journeys > 0 { try await world.play(for: .seconds(1)) }
            let ended = try #require(try await world.store.replay(journey.id)).stored
            let expected = journey.startedAt + .seconds(10 * ended.adventure.tick) + stopped
            #expect(ended.endedAt == expected && world.clock.now - expected < .seconds(1))
            let events = try await world.store.events(of: journey.id, after: 0, limit: 10_000)
            let moments = Set(events.map(\.at)).sorted()
            #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= .seconds(10) })
        }
    }

    @Test func `a command that comes first after an outage finds the turn still open`() async throws {
        try await with { world in
            let ada = try await world.player("Ada", hero: "zippy")
            let party = try await world.party(of: [ada])
            let fight = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            try #require(fight.adventure.turn?.hero?.rawValue == 0)
            try await world.play(for: .seconds(14))
            world.clock.advance(by: .seconds(3_600))
            _ = try await world.commands.perform(.attack, in: fight.id, by: ada, request: nil) { events, after in
                #expect(after.adventure.tick == 1 && after.turnDueAt == world.clock.now + .seconds(15))
                #expect(events.allSatisfy { $0.at == world.clock.now })
                return EncodedResponse(status: 200, body: "")
            }
            let kinds = try await world.store.log(of: party.id.shard, after: 0, limit: 10).map(\.content)
            guard kinds.count == 3, case .outage(.seconds(3_600)) = kinds[1], case .input = kinds[2] else {
                Issue.record("\(kinds)")
                return
            }
            _ = try await world.store.replay(fight.id)
        }
    }

    @Test func `an adventure that ended just before an outage ended then, and a new one is not delayed`() async throws {
        try await with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let journey = try await world.startJourney(party)
            // As if no transaction had found the end before the outage.
            try await world.pool.withConnection { connection in
                try await connection.script("UPDATE adventures SET ends_at = ends_at + interval '1 year'")
            }
            try await world.play(for: .seconds(600))
            let end = try #require(try await world.store.adventure(journey.id)?.endedAt)
            world.clock.advance(by: .seconds(3_600))
            let next = try await world.startJourney(party)
            #expect(try await world.store.adventure(journey.id)?.endedAt == end)
            #expect(next.startedAt == world.clock.now && next.nextTickAt == next.startedAt + .seconds(10))
            #expect(try await outages(world, journey.id.shard) == [.seconds(3_600)])
            _ = try await world.store.replay(journey.id)
            _ = try await world.store.replay(next.id)
        }
    }

    @Test func `a database's clock that was set back is logged once for each shard, until it has caught up`()
        async throws
    {
        try await with { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: [ada])
            let fight = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            func lines() -> [LogRecorder.Line] {
                world.logs.lines(
                    "the database's clock was set back: the games of a shard stand still until it has caught up"
                )
            }
            func command() async throws {
                _ = try await world.commands.perform(.policy(.guard), in: fight.id, by: ada, request: nil) { _, _ in
                    EncodedResponse(status: 200, body: "")
                }
            }
            for occasion in 1...2 {
                world.clock.advance(by: .seconds(-3_600))
                try await command()
                try await command()
                #expect(lines().count == occasion)
                #expect(lines().last?.metadata["shard"] == "\(party.id.shard.rawValue)")
                world.clock.advance(by: .seconds(3_601))
                try await command()
            }
            #expect(try await outages(world, party.id.shard).isEmpty)
        }
    }

    @Test func `without a live adventure nothing stands still`() async throws {
        try await with { world in
            let party = try await world.party(of: [world.player("Ada")])
            world.clock.advance(by: .seconds(86_400))
            let journey = try await world.startJourney(party)
            _ = try await world.commands.end(journey.id, by: .test)
            world.clock.advance(by: .seconds(86_400))
            let fight = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            #expect(fight.turnDueAt == world.clock.now + .seconds(15))
            #expect(try await outages(world, party.id.shard).isEmpty)
        }
    }

    /// Adventures and outages at random moments; one reader follows the log, and others read from the beginning.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `everybody derives the same from the log, whatever stood still`(seed: UInt64) async throws {
        try await with { world in
            var random = SeededGenerator(seed: seed)
            let players = [
                try await world.player("Ada", hero: "zippy"), try await world.player("Ben", hero: "boulder"),
            ]
            let party = try await world.party(of: players)
            let shard = party.id.shard
            let fight = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            var follower = try #require(try await world.store.adventure(fight.id))
            var followed = try await world.store.events(of: fight.id, after: 0, limit: 100)
            for _ in 0..<60 {
                world.clock.advance(by: .milliseconds(Int.random(in: 1...2_000, using: &random)))
                if Int.random(in: 0..<6, using: &random) == 0 {
                    world.clock.advance(by: .milliseconds(Int.random(in: 1_000...40_000, using: &random)))
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let commands: [Command] = [.attack, .guardUp, .special, .policy(.skip), .policy(.automatic)]
                    do {
                        _ = try await world.commands.perform(
                            commands.randomElement(using: &random) ?? .pass,
                            in: fight.id,
                            by: players.randomElement(using: &random) ?? players[0],
                            request: nil
                        ) { _, _ in EncodedResponse(status: 200, body: "") }
                    } catch is CommandError {
                        // Not the player's turn, for example.
                    }
                default:
                    _ = try await world.engine().runPollCycle()
                }
                // The head first: the log may be longer by then, but never shorter.
                let head = try await world.store.heads(of: [shard])[0]
                for entry in try await world.store.log(of: shard, after: follower.readPosition, limit: 100)
                where entry.adventureID == fight.id || entry.adventureID == nil {
                    try follower.apply(entry, appendingTo: &followed)
                }
                follower.play(to: head.clock, appendingTo: &followed)
                let read = try #require(try await world.store.adventure(fight.id))
                #expect(follower.adventure == read.adventure && follower.endedAt == read.endedAt)
                #expect(follower.nextTickAt == read.nextTickAt && follower.turnDueAt == read.turnDueAt)
            }
            let events = try await world.store.events(of: fight.id, after: 0, limit: 10_000)
            #expect(followed.map(\.event) == events.map(\.event) && followed.map(\.at) == events.map(\.at))
            #expect(followed.map(\.sequence) == Array(1...followed.count))
            #expect(zip(followed, followed.dropFirst()).allSatisfy { $0.at <= $1.at })
            _ = try await world.store.replay(fight.id)
            try #require(try await !outages(world, shard).isEmpty)
        }
    }
}

extension World {
    /// Lets time pass with an engine, at the end of which all clocks are moved.
    fileprivate func play(for duration: Duration) async throws {
        var left = duration
        while left > .zero {
            let step = min(left, .milliseconds(500))
            clock.advance(by: step)
            _ = try await engine().runPollCycle()
            left -= step
        }
        let live = Statement("test.live", "SELECT shard FROM shards WHERE due_after IS NOT NULL AND clock < $1")
        for row in try await pool.query(PostgresQuery(live, PostgresTimestamp(microseconds: clock.now.microseconds))) {
            _ = try await store.moveClock(of: Shard(rawValue: UInt8(try row.decode(Int16.self))))
        }
    }
}
