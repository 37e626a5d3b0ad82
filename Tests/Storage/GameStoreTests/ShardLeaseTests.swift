import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import PostgresClient
import TestSupport
import Testing

@Suite struct ShardLeaseTests {
    private let shard = Shard(rawValue: 7)
    private let first = UUID()
    private let second = UUID()

    private func acquire(_ shard: Shard, as holder: UUID, in store: GameStore) async throws -> ShardLease? {
        guard let epoch = try await store.leaseSurvey(grace: .seconds(60)).unleased[shard] else { return nil }
        return try await store.acquireLease(of: shard, at: epoch, holder: holder)
    }

    @Test func `a shard has one lease at a time, the next with a higher epoch`() async throws {
        try await withStore { store, pool in
            #expect(try await store.unleasedShards().keys.sorted() == Shard.all)
            for holder in [first, second] { try await store.register(holder, for: .seconds(60)) }
            let lease = try #require(try await acquire(shard, as: first, in: store))
            #expect(try await store.isLeased(shard))
            // As another dispatcher that has seen the shard without a lease.
            #expect(try await store.acquireLease(of: shard, at: lease.epoch - 1, holder: second) == nil)
            #expect(try await store.unleasedShards()[shard] == nil)
            try await expire(first, in: pool)
            #expect(try await !store.isLeased(shard))
            let next = try #require(try await acquire(shard, as: second, in: store))
            #expect(next.epoch == lease.epoch + 1)
        }
    }

    @Test func `a lease begins with timestamps after the shard's clock, also if the database's clock is behind it`()
        async throws
    {
        try await withStore { store, pool in
            try await store.register(first, for: .seconds(60))
            let setBack = Statement(
                "test.setBack",
                """
                UPDATE shards SET clock = clock_timestamp() + interval '20 s' WHERE shard = $1
                RETURNING floor(extract(epoch FROM clock))::bigint
                """
            )
            let rows = try await pool.query(PostgresQuery(setBack, Int16(shard.rawValue)))
            let clock = try #require(rows.first).decode(Int64.self)
            let lease = try #require(try await acquire(shard, as: first, in: store))
            #expect(lease.firstTimestamp == clock + 2)
            let other = try #require(try await acquire(Shard(rawValue: 8), as: first, in: store))
            #expect(other.firstTimestamp < clock)
        }
    }

    @Test func `a dispatcher that expired never comes back, whether it is marked as over or not`() async throws {
        try await withStore { store, pool in
            try await store.register(first, for: .seconds(60))
            #expect(try await store.renew(dispatcher: first, for: .seconds(60)) != nil)
            try await expire(first, in: pool)
            #expect(try await store.renew(dispatcher: first, for: .seconds(60)) == nil)
            #expect(try await store.leaseSurvey(grace: .seconds(60)).dispatchers.isEmpty)
            #expect(try await store.renew(dispatcher: first, for: .seconds(60)) == nil)
        }
    }

    @Test func `a released lease is free at once, and so are those of a dispatcher that has ended`() async throws {
        try await withStore { store, _ in
            for holder in [first, second] { try await store.register(holder, for: .seconds(60)) }
            let other = Shard(rawValue: 8)
            let lease = try #require(try await acquire(shard, as: first, in: store))
            #expect(try await acquire(other, as: first, in: store) != nil)
            #expect(try await store.release(lease, holder: first))
            #expect(try await !store.release(lease, holder: first))
            #expect(try await acquire(shard, as: second, in: store) != nil)
            #expect(try await acquire(other, as: second, in: store) == nil)
            try await store.end(dispatcher: first)
            #expect(try await acquire(other, as: second, in: store) != nil)
        }
    }

    @Test func `another holder at the same epoch is noticed, after a failover that lost an acquisition`() async throws {
        try await withStore { store, pool in
            for holder in [first, second] { try await store.register(holder, for: .seconds(60)) }
            let lease = try #require(try await acquire(shard, as: first, in: store))
            try await expire(first, in: pool)
            let expired = try await store.leaseSurvey(grace: .zero)
            #expect(expired.isLastHolder(first, of: shard, at: lease.epoch))
            #expect(!expired.isLastHolder(second, of: shard, at: lease.epoch))
            #expect(!expired.isLastHolder(first, of: shard, at: lease.epoch - 1))

            let rewind = Statement("test.rewind", "UPDATE leases SET epoch = epoch - 1, holder = NULL WHERE shard = $1")
            _ = try await pool.query(PostgresQuery(rewind, Int16(shard.rawValue)))
            let next = try #require(try await acquire(shard, as: second, in: store))
            #expect(next.epoch == lease.epoch)
            #expect(try await store.release(next, holder: second))
            let released = try await store.leaseSurvey(grace: .zero)
            #expect(released.unleased[shard] == lease.epoch)
            #expect(!released.isLastHolder(first, of: shard, at: lease.epoch))
        }
    }

    @Test func `a lease that its holder released differs from one whose holder expired`() async throws {
        try await withStore { store, pool in
            for holder in [first, second] { try await store.register(holder, for: .seconds(60)) }
            let (other, third) = (Shard(rawValue: 8), Shard(rawValue: 9))
            #expect(try await store.leaseSurvey(grace: .seconds(60)).released == Set(Shard.all))
            let lease = try #require(try await acquire(shard, as: first, in: store))
            #expect(try await acquire(other, as: first, in: store) != nil)
            #expect(try await acquire(third, as: second, in: store) != nil)
            #expect(try await store.release(lease, holder: first))
            #expect(try await store.leaseSurvey(grace: .seconds(60)).released.contains(shard))
            try await store.end(dispatcher: first)
            try await expire(second, in: pool)
            let survey = try await store.leaseSurvey(grace: .seconds(60))
            #expect(survey.unleased.count == Shard.all.count)
            #expect(survey.released == Set(Shard.all).subtracting([third]))
            // A dispatcher that has expired and ends afterwards has released nothing: others may have acquired its shards.
            try await store.end(dispatcher: second)
            #expect(try await store.leaseSurvey(grace: .seconds(60)).released == survey.released)
        }
    }

    @Test func `the budget of a device is stored, and its other activities in the shard have it`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let old = try await registered(for: fight, in: store)
            #expect(try await store.liveActivities(of: shard).map(\.budgetFullAt) == [nil])
            let lease = try #require(try await acquire(shard, as: first, in: store))
            // The second moment replaces the first.
            for budgetFullAt in [noon - .seconds(400), noon] {
                let checkpoint = ActivityCheckpoint(
                    adventureID: fight.id,
                    activityID: old.id,
                    generation: 1,
                    lastTimestamp: 1,
                    acknowledgedAt: noon,
                    acceptedAlerts: [],
                    budgetFullAt: budgetFullAt,
                    state: .ended
                )
                #expect(try await store.flush(lease, holder: first, checkpoint: 1, activities: [checkpoint]))
            }
            let new = try await registered(for: fight, in: store)
            let live = try await store.liveActivities(of: shard)
            #expect(live.map(\.id) == [new.id] && live.map(\.budgetFullAt) == [noon])
            #expect(try await store.activities(of: fight.id).map(\.budgetFullAt) == [noon, noon])
            let tablet = try await registered(on: DeviceID(rawValue: UUID()), for: fight, in: store)
            let budgets = try await store.liveActivities(of: shard).map { ($0.id, $0.budgetFullAt) }
            #expect(Dictionary(uniqueKeysWithValues: budgets) == [new.id: noon, tablet.id: nil])
        }
    }

    @Test func `a late renewal does not shorten a presence`() async throws {
        try await withStore { store, _ in
            try await store.register(first, for: .seconds(60))
            #expect(try await store.renew(dispatcher: first, for: .milliseconds(5)) != nil)
            #expect(try await store.renew(dispatcher: first, for: .seconds(60)) != nil)
        }
    }

    @Test func `a lease with a locked row blocks no other lease`() async throws {
        try await withStore { store, pool in
            for holder in [first, second] { try await store.register(holder, for: .seconds(60)) }
            let other = Shard(rawValue: 8)
            let locked = try #require(try await acquire(shard, as: first, in: store))
            #expect(try await acquire(other, as: first, in: store) != nil)
            try await store.end(dispatcher: first)
            try await pool.withTransaction { connection in
                _ = try await connection.query(
                    PostgresQuery(
                        Statement("test.lockLease", "SELECT FROM leases WHERE shard = $1 FOR UPDATE"),
                        Int16(shard.rawValue)
                    )
                )
                // None of these statements waits for the end of this transaction.
                #expect(try await acquire(shard, as: second, in: store) == nil)
                await #expect(throws: PostgresError.self) { try await store.release(locked, holder: first) }
                #expect(try await acquire(other, as: second, in: store) != nil)
            }
            #expect(try await acquire(shard, as: second, in: store) != nil)
        }
    }

    @Test func `a dispatcher whose row is locked keeps its leases until no renewal can succeed`() async throws {
        try await withStore { store, pool in
            for holder in [first, second] { try await store.register(holder, for: .seconds(60)) }
            _ = try #require(try await acquire(shard, as: first, in: store))
            try await expire(first, in: pool)
            try await pool.withTransaction { connection in
                try await lock(first, on: connection)
                // It is over, which needs no lock.
                #expect(try await store.renew(dispatcher: first, for: .seconds(60)) == nil)
                // It expired a second ago, and an earlier renewal may be waiting.
                #expect(try await store.leaseSurvey(grace: .seconds(60)).unleased[shard] == nil)
                #expect(try await store.leaseSurvey(grace: .milliseconds(1)).unleased[shard] != nil)
            }
        }
    }

    @Test func `a renewal that waits for a row is not overtaken by the mark that its dispatcher is over`()
        async throws
    {
        try await withStore { store, pool in
            // On a busy machine, a renewal may begin too late, and another one gets more time.
            for seconds in [5, 20, 80] {
                guard try await store.dispatcherCount() == 0 else { break }
                let holder = UUID()
                try await store.register(holder, for: .seconds(seconds))
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    let isWaiting = try await pool.withTransaction { connection in
                        try await lock(holder, on: connection)
                        group.addTask { try await store.renew(dispatcher: holder, for: .seconds(600)) != nil }
                        var isWaiting = false
                        while try await store.dispatcherCount() > 0 { isWaiting = try await hasLockWait(in: pool) }
                        #expect(try await store.leaseSurvey(grace: .seconds(60)).dispatchers.isEmpty)
                        return isWaiting
                    }
                    let isRenewed = try await group.next() ?? false
                    #expect(isRenewed || !isWaiting)
                }
            }
            #expect(try await store.leaseSurvey(grace: .seconds(60)).dispatchers.count == 1)
        }
    }

    @Test func `a holder that lost its lease writes neither checkpoint nor activities`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            let activity = try await registered(for: fight, in: store)
            let stale = try #require(try await acquire(shard, as: first, in: store))
            let lease = try #require(try await acquire(shard, as: second, in: store))
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

    @Test func `a checkpoint beyond the log is refused, and one that is stored goes back to the log`() async throws {
        try await withStore { store, pool in
            let activity = try await registered(for: try await storedFight(in: store, shard: shard), in: store)
            let lease = try #require(try await acquire(shard, as: first, in: store))
            func flush(to checkpoint: Int64) async throws -> Bool {
                try await store.flush(
                    lease,
                    holder: first,
                    checkpoint: checkpoint,
                    activities: [self.checkpoint(activity)]
                )
            }
            let head = try await store.heads(of: [shard])[0].head
            #expect(try await !flush(to: head + 1))
            #expect(try await store.activities(of: activity.adventureID).first?.state == .live)
            #expect(try await store.checkpoint(of: lease, holder: first) == 0)
            #expect(try await flush(to: head))
            #expect(try await !flush(to: head - 1))
            #expect(try await store.checkpoint(of: lease, holder: first) == head)
            #expect(try await store.checkpoint(of: lease, holder: second) == nil)
            let sql = "UPDATE leases SET checkpoint = checkpoint + 7 WHERE shard = $1"
            _ = try await pool.query(PostgresQuery(Statement("test.beyond", sql), Int16(shard.rawValue)))
            #expect(try await flush(to: head))
            #expect(try await store.checkpoint(of: lease, holder: first) == head)
        }
    }

    @Test func `the result of an old token does not affect a newer one`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let activity = try await registered(for: fight, in: store)
            let lease = try #require(try await acquire(shard, as: first, in: store))
            try await rotateToken(of: activity, in: store)
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
            let lease = try #require(try await acquire(shard, as: first, in: store))
            _ = try await store.flush(
                lease,
                holder: first,
                checkpoint: 1,
                activities: [checkpoint(read, state: .ended)]
            )
            try await rotateToken(of: read, in: store)
            #expect(try await store.activities(of: fight.id).first?.state == .ended)
        }
    }

    @Test func `an end closes the activity whatever its token`() async throws {
        try await withStore { store, _ in
            let fight = try await storedFight(in: store, shard: shard)
            let activity = try await registered(for: fight, in: store)
            let lease = try #require(try await acquire(shard, as: first, in: store))
            try await rotateToken(of: activity, in: store)
            _ = try await store.flush(lease, holder: first, checkpoint: 1, activities: [checkpoint(activity)])
            let now = try #require(try await store.activities(of: fight.id).first)
            #expect(now.state == .ended && now.generation == 2)
        }
    }

    @Test func `a renewal under way does not bring back a dispatcher that has ended`() async throws {
        try await withStore { store, pool in
            try await store.register(first, for: .seconds(600))
            try await withThrowingTaskGroup(of: Bool.self) { group in
                try await pool.withTransaction { connection in
                    let end = "UPDATE dispatchers SET is_over = true WHERE holder = $1"
                    _ = try await connection.query(PostgresQuery(Statement("test.end", end), first))
                    group.addTask { try await store.renew(dispatcher: first, for: .seconds(600)) != nil }
                    try await waitForLockWait(in: pool)
                }
                #expect(try await group.next() == false)
            }
            #expect(try await store.leaseSurvey(grace: .seconds(60)).dispatchers.isEmpty)
        }
    }

    @Test func `it is known since when a shard has no dispatcher, until another one acquires it`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            _ = try await registered(for: fight, in: store)
            let age = "UPDATE activities SET registered_at = now() - interval '1 day'"
            _ = try await pool.query(PostgresQuery(Statement("test.age", age)))
            for holder in [first, second] { try await store.register(holder, for: .seconds(60)) }
            _ = try #require(try await acquire(shard, as: first, in: store))
            try await expire(first, in: pool)
            let since = try #require(try await store.backlogStatistics().oldestUnsent)
            #expect(try await store.leaseSurvey(grace: .seconds(60)).dispatchers.map(\.holder) == [second])
            #expect(try await store.leaseSurvey(grace: .seconds(60)).unleased[shard] != nil)
            #expect(try await store.backlogStatistics().oldestUnsent == since)
            _ = try #require(try await acquire(shard, as: second, in: store))
            _ = try await store.leaseSurvey(grace: .seconds(60))
            let holders = Statement("test.dispatchers", "SELECT holder FROM dispatchers")
            let left = try await pool.query(PostgresQuery(holders)).map { try $0.decode(UUID.self) }
            #expect(left == [second])
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
            let lease = try #require(try await acquire(shard, as: first, in: store))
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

    private func rotateToken(of activity: Activity, in store: GameStore) async throws {
        var newer = activity
        newer.pushToken = [9, 9, 9]
        newer.generation += 1
        try await store.withShard(shard) { [newer] in $0.register(newer) }
    }

    private func expire(_ holder: UUID, in pool: PostgresPool) async throws {
        let expire = "UPDATE dispatchers SET expires_at = now() - interval '1 second' WHERE holder = $1"
        _ = try await pool.query(PostgresQuery(Statement("test.expire", expire), holder))
    }

    private func lock(_ holder: UUID, on connection: PostgresConnection) async throws {
        let lock = "SELECT FROM dispatchers WHERE holder = $1 FOR UPDATE"
        _ = try await connection.query(PostgresQuery(Statement("test.lockDispatcher", lock), holder))
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
        on device: DeviceID? = nil,
        for fight: StoredAdventure,
        in store: GameStore
    ) async throws -> Activity {
        let activity = Activity(
            id: id,
            adventureID: fight.id,
            playerID: fight.adventure.heroes[0].playerID,
            deviceID: device ?? DeviceID(rawValue: fight.adventure.heroes[0].playerID.rawValue),
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
            acceptedAlerts: [],
            state: state
        )
    }
}

extension GameStore {
    fileprivate func register(_ holder: UUID, for duration: Duration) async throws {
        try await register(dispatcher: holder, knowsAll: true, sendingTo: [], for: duration)
    }
}
