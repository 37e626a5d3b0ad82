import Encodings
import GameCore
import GameTestSupport
import PostgresClient
import Testing

@testable import GameStore

@Suite struct ShardTransactionTests {
    private let shard = Shard(rawValue: 42)

    /// Gives a fight an input that leaves its turn open.
    private func command(_ fight: StoredAdventure, in transaction: inout ShardTransaction) async throws {
        var stored = try #require(try await transaction.adventure(fight.id))
        let player = stored.adventure.heroes[0].playerID
        _ = try await transaction.apply(.command(.policy(.guard), by: player), to: &stored)
    }

    @Test func `concurrent transactions leave neither gaps nor duplicates in the positions`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await store.withShard(shard) { try await command(fight, in: &$0) }
                    }
                }
                try await group.waitForAll()
            }
            let log = try await store.log(of: shard, after: 0, limit: 1_000)
            #expect(log.map(\.position) == Array(1...21))
            #expect(zip(log, log.dropFirst()).allSatisfy { $0.at < $1.at })
            let head = try await store.heads(of: [shard])[0]
            #expect(head.head == 21 && head.clock == log.last?.at && head.digest == log.last?.digest)
            #expect(try await store.replay(fight.id)?.events == fight.adventure.sequence + 20)
        }
    }

    @Test func `a body that throws, and a dry run, change nothing`() async throws {
        struct Failure: Error {}
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let before = try await store.heads(of: [shard])
            await #expect(throws: Failure.self) {
                try await store.withShard(shard) { transaction in
                    try await command(fight, in: &transaction)
                    throw Failure()
                }
            }
            try await store.dryRun(in: shard) { try await command(fight, in: &$0) }
            #expect(try await store.heads(of: [shard]) == before)
            #expect(try await store.adventure(fight.id)?.adventure == fight.adventure)
        }
    }

    @Test func `a transaction reads what it has changed`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            try await store.withShard(shard) { transaction in
                try await command(fight, in: &transaction)
                let changed = try #require(try await transaction.adventure(fight.id))
                #expect(changed.adventure.sequence == fight.adventure.sequence + 1)
                var stored = changed
                _ = try await transaction.apply(.end, to: &stored)
                #expect(try await transaction.adventure(fight.id)?.endedAt == transaction.now)
                #expect(try await transaction.party(fight.partyID)?.adventureID == nil)
            }
            #expect(try await store.replay(fight.id)?.stored.adventure.outcome == .endedByOperator)
        }
    }

    @Test func `a shard locked by another transaction is skipped`() async throws {
        try await withStore { store, _ in
            try await store.withShard(shard) { _ in
                let (move, other) = (
                    try await store.moveClock(of: shard), try await store.moveClock(of: Shard(rawValue: 43))
                )
                #expect(move == nil && other != nil)
            }
            #expect(try await store.moveClock(of: shard) != nil)
        }
    }

    @Test func `the clock of a shard with live adventures is due once it is old enough`() async throws {
        try await World.with { world in
            let store = world.store
            world.clock.advance(by: .seconds(60))
            #expect(try await store.shardsDue(every: .milliseconds(250)) == [])
            let fight = try await storedFight(in: store, shard: shard)
            #expect(try await store.shardsDue(every: .milliseconds(250)) == [])
            world.clock.advance(by: .milliseconds(250))
            #expect(try await store.shardsDue(every: .milliseconds(250)) == [shard])
            #expect(try await store.moveClock(of: shard)?.lag == .milliseconds(250))
            #expect(try await store.shardsDue(every: .milliseconds(250)) == [])
            try await store.withShard(shard) { transaction in
                var stored = try #require(try await transaction.adventure(fight.id))
                _ = try await transaction.apply(.end, to: &stored)
            }
            world.clock.advance(by: .seconds(60))
            #expect(try await store.shardsDue(every: .milliseconds(250)) == [])
            #expect(try await store.moveClock(of: shard)?.lag == .zero)
        }
    }

    @Test func `in a crowded shard the clock is moved half as often`() async throws {
        try await World.with { world in
            _ = try await storedFight(in: world.store, shard: shard)
            let crowd = Statement("test.crowd", "UPDATE shards SET journeys = 1000 WHERE shard = $1")
            _ = try await world.pool.query(PostgresQuery(crowd, shard.column))
            world.clock.advance(by: .milliseconds(499))
            #expect(try await world.store.shardsDue(every: .milliseconds(250)) == [])
            world.clock.advance(by: .milliseconds(1))
            #expect(try await world.store.shardsDue(every: .milliseconds(250)) == [shard])
        }
    }

    @Test func `a database's clock that goes back holds the shard's clock until it catches up`() async throws {
        try await World.with { world in
            let store = world.store
            let fight = try await storedFight(in: store, shard: shard)
            world.clock.advance(by: .seconds(10))
            _ = try await store.moveClock(of: shard)
            let clock = try await store.heads(of: [shard])[0].clock

            world.clock.advance(by: .seconds(-3_600))
            #expect(try await store.shardsDue(every: .milliseconds(250)) == [])
            try await store.withShard(shard) { transaction in
                #expect(transaction.now == clock + .microseconds(1))
                try await command(fight, in: &transaction)
            }
            #expect(try await store.moveClock(of: shard)?.outage == nil)
            #expect(try await store.heads(of: [shard])[0].clock == clock + .microseconds(2))
            #expect(try await store.adventure(fight.id)?.adventure.tick == 0)

            world.clock.advance(by: .seconds(3_605))
            _ = try await store.moveClock(of: shard)
            #expect(try await store.heads(of: [shard])[0].clock == world.clock.now)
            #expect(try await store.adventure(fight.id)?.adventure.tick == 1)
            _ = try await store.replay(fight.id)
        }
    }

    @Test func `the database's own clock decides if no other is given`() async throws {
        try await withStore { _, pool in
            let store = GameStore(pool: pool)
            let fight = try await storedFight(in: store, shard: shard)
            let clock = Statement("test.clock", "SELECT clock_timestamp()")
            for _ in 0..<3 {
                let before = Timestamp(try await pool.query(PostgresQuery(clock))[0].decode(PostgresTimestamp.self))
                try await store.withShard(shard) { try await command(fight, in: &$0) }
                let after = Timestamp(try await pool.query(PostgresQuery(clock))[0].decode(PostgresTimestamp.self))
                let head = try await store.heads(of: [shard])[0]
                #expect(before < head.clock && head.clock < after)
                #expect(try await store.log(of: shard, after: head.head - 1, limit: 1)[0].at == head.clock)
            }
            #expect(try await store.shardsDue(every: .seconds(-3_600)) == [shard])
            #expect(try await store.shardsDue(every: .seconds(3_600)) == [])
        }
    }
}
