import GameCore
import PostgresClient
import Testing

@testable import GameStore

/// Damage to one row of `shards`, which statements over all of them would fail on.
@Suite struct ShardRowTests {
    @Test(arguments: [
        ("head = -1", "shards_head_check"),
        ("clock = 'infinity'", "shards_clock_check"),
        ("clock = '-infinity'", "shards_clock_check"),
        ("clock = '1899-12-31 23:59:59+00'", "shards_clock_check"),
        ("due_after = -1", "shards_due_after_check"),
        ("due_after = 9223372036854775807", "shards_due_after_check"),
        ("stopped_for = -1", "shards_stopped_for_check"),
        ("stopped_for = 9223372036854775807", "shards_stopped_for_check"),
        ("journeys = -1", "shards_live_check"),
        ("boss_fights = -1", "shards_live_check"),
        ("requires = -1", "shards_requires_check"),
    ])
    func `a shard's row cannot have values that stop other shards`(change: String, constraint: String) async throws {
        try await withStore { _, pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withConnection { try await $0.script("UPDATE shards SET \(change) WHERE shard = 7") }
            }
            #expect(error.map { "\($0)".contains(constraint) } == true)
        }
    }

    @Test func `the extreme values of a shard's row stop nothing`() async throws {
        try await withStore { store, pool in
            let extremes = [
                "clock = '1900-01-01 00:00:00+00', due_after = 0, stopped_for = 3155760000000000",
                "clock = '9999-01-01 00:00:00+00', due_after = 1000000, stopped_for = 0",
            ]
            for (shard, change) in zip([Shard(rawValue: 7), Shard(rawValue: 8)], extremes) {
                try await pool.withConnection {
                    try await $0.script("UPDATE shards SET \(change) WHERE shard = \(shard.rawValue)")
                }
            }
            #expect(try await store.dueShards().map(\.shard) == [Shard(rawValue: 7)])
            #expect(try await store.heads(of: Shard.all).count == 256)
            #expect(try await GameStore(pool: pool).dueShards().map(\.shard) == [Shard(rawValue: 7)])
        }
    }
}
