import Encodings
import GameCore
import GameLog
import GameTestSupport
import Logging
import PostgresClient
import TestSupport
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

    @Test func `an overdue clock is moved as soon as the shard's lock is free`() async throws {
        try await World.with { world in
            let store = world.store
            _ = try await storedFight(in: store, shard: shard)
            world.clock.advance(by: .seconds(1))
            var due = try #require(try await store.dueShards().first)
            due.isOverdue = true
            let overdue = due
            try await withThrowingTaskGroup(of: ClockMove?.self) { group in
                try await store.withShard(shard) { _ in
                    group.addTask { try await store.moveClock(of: overdue) }
                    try await waitForLockWait(in: world.pool)
                }
                // The other transaction has moved the clock.
                let moved = try await group.next() ?? nil
                #expect(moved == nil)
            }
        }
    }

    /// Returns the shards that are due, and whether only ticks are due in them.
    private func due(in store: GameStore) async throws -> [Shard: Bool] {
        let due = try await store.dueShards().map { ($0.shard, $0.isTicking) }
        return Dictionary(uniqueKeysWithValues: due)
    }

    @Test func `the clock of a shard is due at the next tick, and once a second while something lives`() async throws {
        try await World.with { world in
            let store = world.store
            world.clock.advance(by: .seconds(60))
            #expect(try await due(in: store) == [:])
            let fight = try await storedFight(in: store, shard: shard)
            _ = try await store.moveClock(of: shard)
            world.clock.advance(by: fight.startedAt - world.clock.now)
            var second = 0
            while world.clock.now < fight.startedAt + .seconds(14) {
                world.clock.advance(by: .milliseconds(999))
                #expect(try await due(in: store) == [:])
                world.clock.advance(by: .milliseconds(2 + 100 * (second % 2)))
                let due = try #require(try await store.dueShards().first)
                #expect(due.shard == shard && due.isTicking)
                if second.isMultiple(of: 2) {
                    #expect(try await store.moveClock(of: due)?.lag ?? .zero > .zero)
                } else {
                    // The transaction that records ends decides in the same way when the clock is due next.
                    #expect(try await store.moveClock(of: shard)?.lag ?? .zero > .milliseconds(100))
                }
                #expect(try await store.moveClock(of: due) == nil)
                second += 1
            }
            world.clock.advance(by: fight.startedAt + .seconds(15) - .microseconds(1) - world.clock.now)
            #expect(try await due(in: store) == [:])
            world.clock.advance(by: .microseconds(1))
            let due = try #require(try await store.dueShards().first)
            #expect(try await store.moveClock(of: due)?.lag == .zero)
            #expect(try await store.adventure(fight.id)?.adventure.tick == 1)
            try await store.withShard(shard) { transaction in
                var stored = try #require(try await transaction.adventure(fight.id))
                _ = try await transaction.apply(.end, to: &stored)
            }
            world.clock.advance(by: .seconds(60))
            #expect(try await self.due(in: store) == [:])
            #expect(try await store.moveClock(of: shard)?.lag == .zero)
        }
    }

    @Test func `ends and outages take a whole transaction, and a clock whose lock is held is left alone`() async throws
    {
        try await World.with { world in
            let store = world.store
            let fight = try await storedFight(in: store, shard: shard)
            world.clock.advance(by: .seconds(1))
            let due = try await store.dueShards()
            #expect(due.count == 1)
            try await store.withShard(shard) { _ in
                let move = try await store.moveClock(of: due[0])
                #expect(move == nil)
            }
            world.clock.advance(by: try await ends(fight, in: store) - .microseconds(1) - world.clock.now)
            #expect(try await self.due(in: store) == [shard: true])
            world.clock.advance(by: .microseconds(1))
            let end = try await store.dueShards()
            #expect(end.map(\.isTicking) == [false])
            #expect(try await store.moveClock(of: end[0])?.closed.count == 1)
            #expect(try await store.moveClock(of: end[0]) == nil)

            let limited = GameStore(pool: world.pool, clock: .manual(outageLimit: .seconds(2)) { world.clock.now })
            _ = try await storedFight(in: limited, shard: shard, seed: 2)
            world.clock.advance(by: .milliseconds(2_001))
            #expect(try await self.due(in: limited) == [shard: false])
        }
    }

    /// Returns when a fight ends.
    private func ends(_ fight: StoredAdventure, in store: GameStore) async throws -> Timestamp {
        try #require(try await store.adventure(fight.id)).projectedEnd
    }

    @Test func `a clock that will be due is found, and moved at its moment at the earliest`() async throws {
        try await World.with { world in
            _ = try await storedFight(in: world.store, shard: shard)
            _ = try await world.store.moveClock(of: shard)
            let dueAt = try #require(try await world.store.heads(of: [shard])[0].dueAt)
            let wait = dueAt - world.clock.now
            #expect(try await world.store.dueShards(within: wait - .microseconds(1)).isEmpty)
            let due = try #require(try await world.store.dueShards(within: wait).first)
            #expect(due.wait == wait && due.isTicking)
            world.clock.advance(by: wait - .microseconds(1))
            #expect(try await world.store.moveClock(of: due) == nil)
            world.clock.advance(by: .microseconds(1))
            #expect(try await world.store.moveClock(of: due)?.lag == .zero)
            #expect(try await world.store.heads(of: [shard])[0].clock == world.clock.now)
        }
    }

    @Test(arguments: [(65, 250), (257, 500)])
    func `in a crowded shard the clock is due a few times a second`(live: Int, milliseconds: Int) async throws {
        try await World.with { world in
            _ = try await storedFight(in: world.store, shard: shard)
            let crowd = Statement("test.crowd", "UPDATE shards SET journeys = $2 - 1 WHERE shard = $1")
            _ = try await world.pool.query(PostgresQuery(crowd, shard.column, Int32(live)))
            _ = try await world.store.moveClock(of: shard)
            for _ in 0..<2 {
                world.clock.advance(by: .milliseconds(milliseconds) - .microseconds(1))
                #expect(try await due(in: world.store) == [:])
                world.clock.advance(by: .microseconds(2))
                let due = try await world.store.dueShards()
                #expect(due.map(\.isTicking) == [true])
                _ = try await world.store.moveClock(of: due[0])
            }
        }
    }

    @Test func `a shard's clock that was set back before its newest entry is corrected`() async throws {
        var options = World.Options()
        options.outageLimit = .seconds(2)
        try await World.with(options) { world in
            let store = world.store
            let fight = try await storedFight(in: store, shard: shard)
            for _ in 0..<2 {
                world.clock.advance(by: .seconds(1))
                try await store.withShard(shard) { transaction in
                    var stored = try #require(try await transaction.adventure(fight.id))
                    let player = stored.adventure.heroes[0].playerID
                    _ = try await transaction.apply(.command(.policy(.guard), by: player), to: &stored)
                }
            }
            let before = try #require(try await store.adventure(fight.id))
            let setBack = Statement(
                "test.setBack",
                "UPDATE shards SET clock = clock - interval '10 s' WHERE shard = $1"
            )
            _ = try await world.pool.query(PostgresQuery(setBack, shard.column))
            world.clock.advance(by: .seconds(1))
            _ = try await store.moveClock(of: shard)
            let corrected = "the clock of a shard was before its newest log entry, and was corrected"
            #expect(world.logs.lines(corrected).map(\.level) == [.error])
            let after = try #require(try await store.adventure(fight.id))
            #expect(after.adventure == before.adventure && after.nextTickAt == before.nextTickAt)
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
            #expect(try await due(in: store) == [:])
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
            for (hours, due) in [(Int64(1), []), (-1, [shard])] {
                let change = Statement(
                    "test.due",
                    "UPDATE shards SET due_after = 0, clock = clock + $2 * interval '1 hour' WHERE shard = $1"
                )
                _ = try await pool.query(PostgresQuery(change, shard.column, hours))
                #expect(try await store.dueShards().map(\.shard) == due)
            }
        }
    }
}
