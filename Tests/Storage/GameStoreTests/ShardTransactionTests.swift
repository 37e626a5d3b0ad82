import Encodings
import GameCore
import GameStore
import Testing

@Suite struct ShardTransactionTests {
    private let shard = Shard(rawValue: 42)

    @Test func `concurrent transactions leave neither gaps nor duplicates in the positions`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let opening = try await store.heads(of: [shard])[0].head
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try await store.withShard(shard, at: noon + .seconds(number)) { transaction in
                            var stored = try #require(try await transaction.adventure(fight.id))
                            guard stored.adventure.status == .running else { return }
                            let events = try stored.adventure.advance(.tick)
                            try transaction.append(events, of: stored)
                            try transaction.update(stored)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let log = try await store.log(of: shard, after: 0, limit: 1_000)
            #expect(log.map(\.position) == Array(1...Int64(log.count)))
            #expect(try await store.heads(of: [shard])[0].head == Int64(log.count))
            #expect(Int64(log.count) > opening)
            let events = try await store.events(of: fight.id, after: 0, limit: 1_000)
            #expect(events.map(\.sequence) == Array(1...events.count))
        }
    }

    @Test func `a body that throws changes nothing`() async throws {
        struct Failure: Error {}
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let before = try await store.heads(of: [shard])[0].head
            await #expect(throws: Failure.self) {
                try await store.withShard(shard, at: noon) { transaction in
                    var stored = try #require(try await transaction.adventure(fight.id))
                    let events = try stored.adventure.advance(.tick)
                    try transaction.append(events, of: stored)
                    try transaction.update(stored)
                    throw Failure()
                }
            }
            #expect(try await store.heads(of: [shard])[0].head == before)
            #expect(try await store.adventure(fight.id)?.adventure == fight.adventure)
        }
    }

    @Test func `a shard locked by another transaction is skipped`() async throws {
        try await withStore { store, _ in
            try await store.withShard(shard, at: noon) { _ in
                let result = try await store.withShardIfUnlocked(shard, at: noon) { _ in true }
                #expect(result == nil)
                let other = try await store.withShardIfUnlocked(Shard(rawValue: 43), at: noon) { _ in true }
                #expect(other == true)
            }
            #expect(try await store.withShardIfUnlocked(shard, at: noon) { _ in true } == true)
        }
    }

    @Test func `a shard is due when a turn's deadline has passed`() async throws {
        try await withStore { store, _ in
            _ = try await storedFight(in: store, shard: shard)
            func due(at moment: Timestamp) async throws -> [Shard] {
                try await store.shardsDue(at: moment, slotMicroseconds: 100_000)
            }
            #expect(try await due(at: noon + .seconds(14)) == [])
            #expect(try await due(at: noon + .seconds(15)) == [shard])
        }
    }
}
