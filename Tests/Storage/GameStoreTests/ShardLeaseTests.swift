import Foundation
import GameCore
import GameLog
import GameStore
import PostgresClient
import Testing

@Suite struct ShardLeaseTests {
    private let shard = Shard(rawValue: 7)
    private let first = UUID()
    private let second = UUID()

    private func expire(_ pool: PostgresPool) async throws {
        _ = try await pool.query(
            PostgresQuery(Statement("test.expire", "UPDATE leases SET expires_at = now() - interval '1 second'"))
        )
    }

    @Test func `a shard has one lease at a time, the next with a higher epoch`() async throws {
        try await withStore { store, pool in
            #expect(try await store.unleasedShards() == Shard.all)
            let lease = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            #expect(try await store.acquireLease(of: shard, holder: second, for: .seconds(60)) == nil)
            #expect(try await store.unleasedShards().contains(shard) == false)
            try await expire(pool)
            let next = try #require(try await store.acquireLease(of: shard, holder: second, for: .seconds(60)))
            #expect(next.epoch == lease.epoch + 1)
        }
    }

    @Test func `a lease is renewed while it is held, and lost once another dispatcher has acquired it`() async throws {
        try await withStore { store, pool in
            let lease = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            #expect(try await store.renew(lease, holder: first, for: .seconds(60)))
            try await expire(pool)
            // Expired, but not acquired by another dispatcher: holder and epoch still match.
            #expect(try await store.renew(lease, holder: first, for: .seconds(60)))
            try await expire(pool)
            _ = try await store.acquireLease(of: shard, holder: second, for: .seconds(60))
            #expect(try await !store.renew(lease, holder: first, for: .seconds(60)))
            #expect(try await store.held([lease], by: first).isEmpty)
        }
    }

    @Test func `a released lease is free at once`() async throws {
        try await withStore { store, _ in
            let lease = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            #expect(try await store.release(lease, holder: first))
            #expect(try await store.acquireLease(of: shard, holder: second, for: .seconds(60)) != nil)
        }
    }

    @Test func `a flush renews the lease, and a late flush does not shorten it`() async throws {
        try await withStore { store, pool in
            let lease = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            try await expire(pool)
            #expect(try await store.flush(lease, holder: first, for: .seconds(60), checkpoint: 1, activities: []))
            #expect(try await store.isLeased(shard))
            // As if it had been delayed for longer than the lease's duration.
            #expect(try await store.renew(lease, holder: first, for: .seconds(-1)))
            #expect(try await store.flush(lease, holder: first, for: .seconds(-1), checkpoint: 2, activities: []))
            #expect(try await store.isLeased(shard))
        }
    }

    @Test func `a lease with a locked row blocks nothing and is not lost`() async throws {
        try await withStore { store, pool in
            let other = Shard(rawValue: 8)
            let locked = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            let lease = try #require(try await store.acquireLease(of: other, holder: first, for: .seconds(60)))
            try await expire(pool)
            try await pool.withTransaction { connection in
                _ = try await connection.query(
                    PostgresQuery(
                        Statement("test.lockLease", "SELECT FROM leases WHERE shard = $1 FOR UPDATE"),
                        Int16(shard.rawValue)
                    )
                )
                // None of these statements waits for the end of this transaction.
                #expect(try await !store.renew(locked, holder: first, for: .seconds(60)))
                #expect(try await store.held([locked, lease], by: first) == [shard, other])
                #expect(try await store.acquireLease(of: shard, holder: second, for: .seconds(60)) == nil)
                #expect(try await !store.release(locked, holder: first))
                #expect(try await store.renew(lease, holder: first, for: .seconds(60)))
            }
            #expect(try await store.renew(locked, holder: first, for: .seconds(60)))
            #expect(try await store.isLeased(shard))
        }
    }

    @Test func `a holder that lost its lease writes neither checkpoint nor activities`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            let activity = try await registered(for: fight, in: store)
            let stale = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            try await expire(pool)
            let lease = try #require(try await store.acquireLease(of: shard, holder: second, for: .seconds(60)))
            #expect(
                try await store.flush(stale, holder: first, checkpoint: 2, activities: [checkpoint(activity)]) == false
            )
            #expect(try await store.activities(of: fight.id).first?.state == .live)
            #expect(
                try await store.flush(lease, holder: second, checkpoint: 2, activities: [checkpoint(activity)]) == true
            )
            #expect(try await store.activities(of: fight.id).first?.state == .ended)
            #expect(try await store.activities(of: fight.id).first?.lastTimestamp == 1_790_000_100)
        }
    }

    @Test func `the result of an old token does not affect a newer one`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let activity = try await registered(for: fight, in: store)
            let lease = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            try await store.withShard(shard) { transaction in
                var newer = activity
                newer.pushToken = [9, 9, 9]
                newer.generation += 1
                transaction.register(newer)
            }
            _ = try await store.flush(
                lease,
                holder: first,
                checkpoint: 1,
                activities: [checkpoint(activity, state: .dead)]
            )
            let now = try #require(try await store.activities(of: fight.id).first)
            #expect(now.state == .live && now.generation == 2 && now.pushToken == [9, 9, 9])
        }
    }

    @Test func `an ended activity stays ended after a concurrent token rotation`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let read = try await registered(for: fight, in: store)
            let lease = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            _ = try await store.flush(
                lease,
                holder: first,
                checkpoint: 1,
                activities: [checkpoint(read, state: .ended)]
            )
            try await store.withShard(shard) { transaction in
                var newer = read
                newer.pushToken = [9, 9, 9]
                newer.generation += 1
                transaction.register(newer)
            }
            #expect(try await store.activities(of: fight.id).first?.state == .ended)
        }
    }

    @Test func `activities are written in the order of their keys, which prevents deadlocks`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            let ids = [UUID(), UUID()].sorted().map(ActivityID.init(rawValue:))
            // The table and the list have the opposite order.
            var checkpoints: [ActivityCheckpoint] = []
            for id in ids.reversed() {
                checkpoints.append(checkpoint(try await registered(as: id, for: fight, in: store)))
            }
            let lease = try #require(try await store.acquireLease(of: shard, holder: first, for: .seconds(60)))
            try await withThrowingTaskGroup(of: Bool.self) { [checkpoints] group in
                try await pool.withTransaction { connection in
                    try await lock(ids[0], on: connection)
                    group.addTask {
                        try await store.flush(
                            lease,
                            holder: first,
                            checkpoint: 1,
                            activities: checkpoints,
                            lockTimeout: .seconds(60)
                        )
                    }
                    try await waitForLockWait(in: pool)
                    // The flush waits without holding locks.
                    try await lock(ids[1], on: connection)
                }
                #expect(try await group.next() == true)
            }
            #expect(try await store.activities(of: fight.id).map(\.state) == [.ended, .ended])
        }
    }

    private func lock(_ id: ActivityID, on connection: PostgresConnection) async throws {
        _ = try await connection.query(
            PostgresQuery(
                Statement("test.lock", "SELECT FROM activities WHERE activity_id = $1 FOR UPDATE NOWAIT"),
                id.rawValue
            )
        )
    }

    private func registered(
        as id: ActivityID = ActivityID(rawValue: UUID()),
        for fight: StoredAdventure,
        in store: GameStore
    ) async throws -> Activity {
        let activity = Activity(
            id: id,
            adventureID: fight.id,
            playerID: fight.adventure.heroes[0].playerID,
            pushToken: [1, 2, 3],
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: "ko",
            registeredAt: noon
        )
        try await store.withShard(shard) { $0.register(activity) }
        let stored = try #require(try await store.activities(of: fight.id).first { $0.id == id })
        #expect(stored.pushToken == [1, 2, 3] && stored.locale == "ko" && stored.state == .live)
        return stored
    }

    private func checkpoint(_ activity: Activity, state: Activity.State = .ended) -> ActivityCheckpoint {
        ActivityCheckpoint(
            adventureID: activity.adventureID,
            activityID: activity.id,
            generation: activity.generation,
            lastTimestamp: 1_790_000_100,
            acknowledgedAt: noon,
            state: state
        )
    }
}
