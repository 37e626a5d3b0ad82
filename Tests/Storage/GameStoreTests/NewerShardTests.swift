import Encodings
import GameCore
import GameLog
import GameTestSupport
import PostgresClient
import Testing

@testable import GameStore

/// A shard that a newer version of the program has written to.
@Suite struct NewerShardTests {
    private let shard = Shard(rawValue: 42)
    private let other = Shard(rawValue: 43)

    private func require(_ version: Int, _ pool: PostgresPool, of shard: Shard? = nil) async throws {
        let (shard, sql) = (shard ?? self.shard, "UPDATE shards SET requires = $2 WHERE shard = $1")
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
        }
    }

    @Test func `a party's shard requires the versions of its members' heroes`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [try await world.player(hero: "inky")])
            func requires() async throws -> Int { try await world.store.heads(of: [party.id.shard])[0].requires }
            #expect(try await requires() == HeroCatalogue["inky"]?.since.rawValue)
            try await require(0, world.pool, of: party.id.shard)
            _ = try await world.join(party, try await world.player("Ben", hero: "zippy"))
            #expect(try await requires() == HeroCatalogue["zippy"]?.since.rawValue)
        }
    }

    @Test func `operators can be managed while their shard needs a newer version`() async throws {
        try await World.with { world in
            _ = try await storedFight(in: world.store, shard: .forOperators)
            world.clock.advance(by: .seconds(60))
            try await require(RulesVersion.newest.rawValue + 1, world.pool, of: .forOperators)
            let before = try await world.store.heads(of: [.forOperators])
            let store = world.store
            func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
            #expect(try await store.create(operator: "alex", role: .admin, tokenHash: hash(1), by: .test))
            #expect(try await store.rotate(operator: "alex", tokenHash: hash(2), by: .test) != nil)
            _ = try await store.revoke(operator: "alex", by: .test)
            let campaign = Campaign(name: "may", boss: "glitch", createdBy: "alex", createdAt: noon)
            #expect(try await store.begin(campaign, by: .test) == campaign)
            // Nothing of the game has changed, and each change is in the audit log.
            #expect(try await store.heads(of: [.forOperators]) == before)
            let verification = try await store.verifyAudit(from: .beginning, limit: 100)
            #expect(verification.entries == 4 && verification.fault == nil)
        }
    }

    @Test func `nothing of a shard that needs a newer version is shown, decided or moved`() async throws {
        try await World.with { world in
            let store = world.store
            let fight = try await storedFight(in: store, shard: shard)
            let older = try await storedAdventure(in: store, shard: other, seed: 2)
            world.clock.advance(by: .seconds(60))
            try await require(RulesVersion.newest.rawValue + 1, world.pool)
            let before = try await store.heads(of: [shard])
            #expect(!before[0].isSupported)

            #expect(try await store.dueShards().map(\.shard) == [other])
            func isNewer(_ error: any Error) -> Bool {
                if case StoreError.newerShard(shard, requires: RulesVersion.newest.rawValue + 1) = error {
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
            try await require(RulesVersion.newest.rawValue, world.pool)
            #expect(try await store.moveClock(of: shard) != nil)
            #expect(try await store.adventure(fight.id)?.adventure.tick ?? 0 > 0)
        }
    }
}
