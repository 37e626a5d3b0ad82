import Foundation
import GameCore
import GameLog
import GameStore
import PostgresClient
import Testing

@Suite struct DecisionStoreTests {
    private let shard = Shard(rawValue: 7)
    private let holder = UUID()

    @Test func `decision records are fenced by the lease, and the newest are kept`() async throws {
        try await withStore { store, _ in
            let activity = try await registered(in: store)
            let stale = try #require(try await store.acquireLease(of: shard, at: 0, holder: holder))
            #expect(try await write("one", for: activity, stale, in: store))
            #expect(try await store.decisions(for: activity.id, of: activity.adventureID) == Array("one".utf8))
            let lease = try #require(try await store.acquireLease(of: shard, at: 1, holder: UUID()))
            #expect(try await write("late", for: activity, stale, in: store) == false)
            #expect(try await store.decisions(for: activity.id, of: activity.adventureID) == Array("one".utf8))
            #expect(lease.epoch > stale.epoch)
        }
    }

    @Test func `only the decision records of a shard's live activities are loaded`() async throws {
        try await withStore { store, _ in
            let (live, released) = (try await registered(in: store, seed: 1), try await registered(in: store, seed: 2))
            let lease = try #require(try await store.acquireLease(of: shard, at: 0, holder: holder))
            #expect(try await write("live", for: live, lease, in: store))
            #expect(try await write("gone", for: released, lease, in: store))
            try await store.withShard(shard) { $0.release(released.id, of: released.adventureID) }
            #expect(try await store.liveDecisions(of: shard).map(\.entries) == [Array("live".utf8)])
            #expect(try await store.liveDecisions(of: Shard(rawValue: 8)).isEmpty)
            #expect(try await store.decisions(for: released.id, of: released.adventureID) == Array("gone".utf8))
        }
    }

    @Test func `an activity is found by its identifier alone`() async throws {
        try await withStore { store, _ in
            let activity = try await registered(in: store)
            #expect(try await store.activities(named: activity.id).map(\.adventureID) == [activity.adventureID])
            #expect(try await store.activities(named: ActivityID(rawValue: UUID())).isEmpty)
        }
    }

    @Test func `identifiers are looked up through an index, and no index covers decision records`() async throws {
        try await withStore { store, pool in
            let activity = try await registered(in: store)
            let lease = try #require(try await store.acquireLease(of: shard, at: 0, holder: holder))
            for entries in ["one", "two", "three"] {
                #expect(try await write(entries, for: activity, lease, in: store))
            }
            let indexed = try await pool.query(
                PostgresQuery(
                    Statement(
                        "test.indexes",
                        """
                        SELECT count(*) FROM pg_indexes
                        WHERE tablename = 'activities' AND indexdef LIKE '%(activity_id)'
                            OR tablename = 'activity_decisions' AND indexdef LIKE '%(%records%'
                        """
                    )
                )
            )
            #expect(try indexed.first?.decode(Int64.self) == 1)
        }
    }

    private func registered(in store: GameStore, seed: UInt64 = 1) async throws -> Activity {
        let fight = try await storedFight(in: store, shard: shard, seed: seed)
        let activity = Activity(
            id: ActivityID(rawValue: UUID()),
            adventureID: fight.id,
            playerID: fight.adventure.heroes[0].playerID,
            deviceID: DeviceID(rawValue: fight.adventure.heroes[0].playerID.rawValue),
            pushToken: [1, 2, 3],
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: nil,
            registeredAt: noon
        )
        try await store.withShard(shard) { $0.register(activity) }
        return activity
    }

    private func write(_ entries: String, for activity: Activity, _ lease: ShardLease, in store: GameStore) async throws
        -> Bool
    {
        try await store.flush(
            lease,
            holder: holder,
            checkpoint: 1,
            activities: [],
            decisions: [
                ActivityDecisions(
                    adventureID: activity.adventureID,
                    activityID: activity.id,
                    entries: Array(entries.utf8)
                )
            ]
        )
    }
}
