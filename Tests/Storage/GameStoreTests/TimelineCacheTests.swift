import Encodings
import GameCore
import GameLog
import GameTestSupport
import PostgresClient
import RangersMetrics
import TestSupport
import Testing

@testable import GameStore

/// Readings of an adventure that go on where the last one ended.
@Suite struct TimelineCacheTests {
    private let shard = Shard(rawValue: 7)

    /// Stores the choice of a policy by the first hero's player.
    private func choose(_ policy: TurnPolicy, in id: AdventureID, of world: World) async throws {
        try await world.store.withShard(shard) { transaction in
            var stored = try #require(try await transaction.adventure(id))
            guard stored.endedAt == nil else { return }
            let player = stored.adventure.heroes[0].playerID
            _ = try await transaction.apply(.command(.policy(policy), by: player), to: &stored)
        }
    }

    /// Expects that a store which has read an adventure before gives it as one does that has not.
    private func expectSame(_ id: AdventureID, in world: World) async throws {
        let known = try #require(try await world.store.adventure(id))
        let fresh = try #require(try await GameStore(pool: world.pool).adventure(id))
        #expect(known.adventure == fresh.adventure && known.digest == fresh.digest)
        #expect(known.nextTickAt == fresh.nextTickAt && known.endedAt == fresh.endedAt)
        #expect(known.playedUntil == fresh.playedUntil && known.readPosition == fresh.readPosition)
    }

    @Test func `a reading that goes on gives what a reading from the opening gives`() async throws {
        var options = World.Options()
        options.outageLimit = .seconds(60)
        try await World.with(options) { world in
            let fight = try await storedAdventure(in: world.store, shard: shard)
            for (number, policy) in [TurnPolicy.guard, .automatic, .guard, .automatic, .guard].enumerated() {
                try await expectSame(fight.id, in: world)
                // The third time it is an outage.
                world.clock.advance(by: .seconds(number == 2 ? 100 : 20))
                _ = try await world.store.moveClock(of: shard)
                try await expectSame(fight.id, in: world)
                try await choose(policy, in: fight.id, of: world)
            }
            #expect(await world.registry.text().contains("\nrangers_outages_total 1\n"))
            world.clock.advance(by: .seconds(59))
            let end = try #require(try await world.store.adventure(fight.id)).projectedEnd
            while world.clock.now <= end {
                _ = try await world.store.moveClock(of: shard)
                world.clock.advance(by: .seconds(59))
            }
            _ = try await world.store.moveClock(of: shard)
            try await expectSame(fight.id, in: world)
            #expect(try await world.store.adventure(fight.id)?.endedAt == end)
        }
    }

    @Test func `a reading that goes on transfers the newest known input and what came since`() async throws {
        try await World.with { world in
            let fight = try await storedAdventure(in: world.store, shard: shard)
            for _ in 0..<3 { try await choose(.guard, in: fight.id, of: world) }
            _ = try await world.store.adventure(fight.id)
            try await choose(.automatic, in: fight.id, of: world)
            let known = try #require(world.store.timelines[fight.id])
            let rows = try await world.pool.query(AdventureStatements.read(fight.id, after: known))
            let row = try AdventureRow(try #require(rows.first), knowing: .current)
            #expect(row.inputs.count == 2 && row.inputs.first == known.newestInput)
        }
    }

    @Test(arguments: [
        "DELETE FROM log WHERE kind = 'input'",
        "UPDATE log SET digest = digest + 1 WHERE kind = 'input'",
    ])
    func `a history that is not the known one is read from the opening`(change: String) async throws {
        try await World.with { world in
            let fight = try await storedAdventure(in: world.store, shard: shard)
            let opened = try #require(try await world.store.adventure(fight.id))
            try await choose(.automatic, in: fight.id, of: world)
            let changed = try #require(try await world.store.adventure(fight.id))
            #expect(changed.adventure != opened.adventure)
            try await world.pool.withConnection { try await $0.script(change) }
            if change.hasPrefix("DELETE") {
                #expect(try await world.store.adventure(fight.id)?.adventure == opened.adventure)
            } else {
                await #expect(throws: StoreError.self) { try await world.store.adventure(fight.id) }
            }
        }
    }

    @Test func `an outage at a moment that was played already is part of another history`() async throws {
        try await World.with { world in
            let journey = try await storedAdventure(.journey, in: world.store, shard: shard)
            world.clock.advance(by: .seconds(100))
            _ = try await world.store.moveClock(of: shard)
            #expect(try await world.store.adventure(journey.id)?.adventure.tick == 10)
            try await world.pool.withConnection {
                try await $0.script(
                    """
                    INSERT INTO log (shard, position, at, kind, body)
                    SELECT shard, head + 1, clock - interval '50 seconds', 'outage', '30000000' FROM shards WHERE shard = 7
                    """
                )
            }
            try await expectSame(journey.id, in: world)
            #expect(try await world.store.adventure(journey.id)?.adventure.tick == 7)
        }
    }

    @Test func `a clock that went back takes an adventure back`() async throws {
        try await World.with { world in
            let journey = try await storedAdventure(.journey, in: world.store, shard: shard)
            world.clock.advance(by: .seconds(100))
            _ = try await world.store.moveClock(of: shard)
            #expect(try await world.store.adventure(journey.id)?.adventure.tick == 10)
            try await world.pool.withConnection {
                try await $0.script("UPDATE shards SET clock = clock - interval '50 seconds' WHERE shard = 7")
            }
            #expect(try await world.store.adventure(journey.id)?.adventure.tick == 5)
        }
    }
}
