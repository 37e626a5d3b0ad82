import Encodings
import GameCore
import GameTestSupport
import PostgresClient
import Testing

@testable import GameStore

/// Two versions of the program side by side: a shard that a newer one has written to.
@Suite struct NewerShardTests {
    private let shard = Shard(rawValue: 42)
    private let other = Shard(rawValue: 43)

    private func require(_ version: Int, _ pool: PostgresPool) async throws {
        let sql = "UPDATE shards SET requires = $2 WHERE shard = $1"
        _ = try await pool.query(PostgresQuery(Statement("test.require", sql), shard.column, Int16(version)))
    }

    @Test func `a shard requires the version of the newest rules in it, and keeps the requirement`() async throws {
        try await withStore { store, pool in
            #expect(try await store.heads(of: [shard])[0].requires == 0)
            let fight = try await storedFight(in: store, shard: shard)
            #expect(try await store.heads(of: [shard])[0].requires == RulesVersion.current.rawValue)
            try await store.withShard(shard) { transaction in
                var stored = try #require(try await transaction.adventure(fight.id))
                _ = try await transaction.apply(.end, to: &stored)
            }
            let head = try await store.heads(of: [shard])[0]
            #expect(head.requires == RulesVersion.current.rawValue && head.isSupported)
            #expect(ShardHead.supportedVersion >= RulesVersion.current.rawValue)
        }
    }

    @Test func `nothing of a shard that needs a newer version is shown, decided or moved`() async throws {
        try await World.with { world in
            let store = world.store
            let fight = try await storedFight(in: store, shard: shard)
            let older = try await storedAdventure(in: store, shard: other, seed: 2)
            world.clock.advance(by: .seconds(60))
            try await require(ShardHead.supportedVersion + 1, world.pool)
            let before = try await store.heads(of: [shard])
            #expect(!before[0].isSupported)

            #expect(try await store.shardsDue(every: .milliseconds(250)) == [other])
            func isNewer(_ error: any Error) -> Bool {
                if case StoreError.newerShard(shard, requires: ShardHead.supportedVersion + 1) = error {
                    true
                } else {
                    false
                }
            }
            await #expect(performing: { try await store.moveClock(of: shard) }, throws: isNewer)
            await #expect(performing: { try await store.withShard(shard) { _ in } }, throws: isNewer)
            await #expect(performing: { try await store.dryRun(in: shard) { _ in } }, throws: isNewer)
            await #expect(performing: { try await store.adventure(fight.id) }, throws: isNewer)
            await #expect(performing: { try await store.events(of: fight.id, after: 0, limit: 10) }, throws: isNewer)
            await #expect(performing: { try await store.replay(fight.id) }, throws: isNewer)
            #expect(try await store.heads(of: [shard]) == before)

            // The other shards go on, and so does this one with a newer version.
            #expect(try await store.moveClock(of: other) != nil)
            #expect(try await store.adventure(older.id)?.adventure.tick ?? 0 > 0)
            try await require(ShardHead.supportedVersion, world.pool)
            #expect(try await store.moveClock(of: shard) != nil)
            #expect(try await store.adventure(fight.id)?.adventure.tick ?? 0 > 0)
        }
    }
}
