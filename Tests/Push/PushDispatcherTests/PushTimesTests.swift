import APNsClient
import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import PushCadence
import RangersMetrics
import ServiceRuntime
import TestSupport
import Testing

@testable import PushDispatch
@testable import PushDispatcher

/// The deadlines of pushes, and the times of the pushes after them.
@Suite struct PushTimesTests {
    /// Runs `body` with a loop and the push that the loop decided to send; nothing sends it.
    private static func withPush(
        _ body: @Sendable (_ loop: DispatchLoop, _ push: OutgoingPush) async throws -> Void
    ) async throws {
        try await withPush { loop, push, _ in try await body(loop, push) }
    }

    private static func withPush(
        drainLimit: Duration = .seconds(11),
        _ body: @Sendable (_ loop: DispatchLoop, _ push: OutgoingPush, _ world: DispatchWorld) async throws -> Void
    ) async throws {
        try await DispatchWorld.with { world in
            _ = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world, drainLimit: drainLimit)
            let push = try await dispatcher.push()
            try await body(dispatcher.loop, push, world)
        }
    }

    @Test func `a push must be sent while the lease of its shard certainly lasts`() async throws {
        try await Self.withPush { loop, push in
            let sendUntil = await loop.sendUntil
            // The presence may have been renewed since.
            let sendBy = try #require(push.request.sendBy)
            let leaseDuration = await loop.settings.leaseDuration
            #expect(sendBy <= sendUntil && sendBy > sendUntil - leaseDuration)
        }
    }

    @Test(arguments: [false, true])
    func `a node that acquires a shard again keeps its state, unless another node held the shard in between`(
        wasHeldByAnother: Bool
    ) async throws {
        try await Self.withPush { loop, push, world in
            try await world.lapse(holderOf: push.order.shard)
            if wasHeldByAnother {
                let (shard, epoch) = (push.order.shard, push.order.epoch)
                #expect(try await world.store.acquireLease(of: shard, at: epoch, holder: UUID()) != nil)
            }
            let keepsState = try await loop.keepsState(afterAcquiringAgain: push)
            #expect(keepsState == !wasHeldByAnother)
        }
    }

    @Test func `a failed renewal is retried soon, and lets pushes be sent as long as before`() async throws {
        try await Self.withPush { loop, _, world in
            let interval = await loop.presence.renew()
            let end = await loop.sendUntil
            try await world.withoutDispatchers {
                #expect(await loop.presence.renew() <= interval / 4)
                #expect(await loop.sendUntil == end)
            }
            #expect(await loop.presence.renew() == interval)
            #expect(await loop.sendUntil > end)
        }
    }

    @Test func `a stop releases all leases at once, even one whose row is locked`() async throws {
        try await Self.withPush(drainLimit: .zero) { loop, push, world in
            let other = try #require(await loop.anotherShard(than: push.order.shard))
            try await world.withLockedLease(of: other) { await loop.drain() }
            #expect(try await world.store.unleasedShards().count == Shard.all.count)
        }
    }

    @Test func `a locked activity row delays no renewal`() async throws {
        try await Self.withPush { loop, push, world in
            loop.completedPushes.put([CompletedPush(push, .accepted(apnsID: push.request.id, uniqueID: nil))])
            await loop.handleCompletedPushes()
            try await world.withLockedActivities {
                async let isFlushed = loop.flush(push.order.shard)
                let end = await loop.sendUntil
                _ = await loop.presence.renew()
                #expect(await loop.sendUntil > end)
                // The flush times out while the row is still locked.
                #expect(await !isFlushed)
            }
            #expect(await loop.flush(push.order.shard))
        }
    }

    @Test func `a wait does not end at a time of the database's clock before it was set back`() async throws {
        try await Self.withPush { loop, push, world in
            loop.completedPushes.put([CompletedPush(push, .unknown(.timedOut))])
            await loop.react()
            world.game.clock.advance(by: .seconds(-3_600))
            _ = await loop.presence.renew()
            await loop.react()
            let wakeAt = try #require(await loop.wakeAt(of: push))
            #expect(wakeAt < loop.presence.now + .seconds(3_000))
        }
    }

    @Test func `leases that lapse count as lost once`() async throws {
        try await Self.withPush { loop, push, world in
            let (shard, count) = (push.order.shard, await loop.shardCount)
            loop.completedPushes.put([CompletedPush(push, .accepted(apnsID: push.request.id, uniqueID: nil))])
            await loop.handleCompletedPushes()
            try await world.lapse(holderOf: shard)
            #expect(try await world.store.acquireLease(of: shard, at: push.order.epoch, holder: UUID()) != nil)
            async let isFlushed = loop.flush(shard)
            _ = await loop.presence.renew()
            _ = await loop.acquireShards()
            // The shard belongs to the other node, so there is nothing to flush.
            #expect(await isFlushed)
            #expect(await world.registry.text().contains("\nrangers_dispatcher_leases_lost_total \(count)\n"))
            #expect(world.logs.lines("this node was too late to renew its presence, and lost its leases").count == 1)
        }
    }

    /// Otherwise the next holder might repeat the push, or send a timestamp that is not larger.
    @Test func `a stop does not release a shard that cannot be flushed`() async throws {
        try await Self.withPush { loop, push, world in
            loop.completedPushes.put([CompletedPush(push, .accepted(apnsID: push.request.id, uniqueID: nil))])
            try await world.withoutActivities { await loop.drain() }
            #expect(try await world.shardsByHolder() == [1])
        }
    }

    /// The database may have lost the moments of the pushes, and decide others.
    @Test func `a stop after an interruption flushes nothing before the logs were read`() async throws {
        try await Self.withPush { loop, push, world in
            loop.completedPushes.put([CompletedPush(push, .accepted(apnsID: push.request.id, uniqueID: nil))])
            await loop.handleCompletedPushes()
            // A renewal without a response: the task of the request is cancelled.
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { _ = await loop.presence.renew() }
            }
            _ = await loop.presence.renew()
            await loop.drain()
            #expect(try await world.shardsByHolder() == [1])
            let activity = try #require(try await world.store.activities(named: push.key.activityID).first)
            #expect(activity.acknowledgedAt < push.planned.changeAt)
        }
    }

    @Test func `a stop flushes the timestamps of pushes without a response`() async throws {
        try await Self.withPush(drainLimit: .zero) { loop, push, world in
            await loop.drain()
            #expect(try await world.shardsByHolder().isEmpty)
            let activity = try #require(try await world.store.activities(named: push.key.activityID).first)
            #expect(activity.lastTimestamp == push.planned.timestamp)
            #expect(activity.acknowledgedAt < push.planned.changeAt)
        }
    }

    @Test func `the number of pushes in flight is limited, and a completed push lets the next one go`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            for player in players { try await world.register(newToken(), as: newActivity(), of: player, for: stored) }
            var dispatcher = SteppedDispatcher(in: world, maxInFlight: 1)
            let (loop, first) = (dispatcher.loop, try await dispatcher.push())
            for _ in 1...3 { await loop.runPollCycle() }
            #expect(await loop.pushes == 1)
            #expect(await loop.inFlightCount == 1)
            let waiting = await loop.latestDecisionsOfQueuedActivities()
            #expect(waiting.count == players.count - 1)
            for decision in waiting {
                #expect(decision?.action == .delayed(until: try #require(decision).at, .concurrencyLimit))
                #expect(decision?.until == nil)
                #expect(
                    decision?.waitText
                        == "Waiting: the maximum number of pushes is in flight"
                )
            }
            await loop.measure()
            #expect(await world.registry.text().contains("\nrangers_dispatcher_activities_waiting \(waiting.count)\n"))
            dispatcher.accept(first)
            #expect(try await dispatcher.push().key != first.key)
        }
    }

    @Test func `a push whose outcome the client never reports is followed by another one`() async throws {
        // Outcomes are overdue after twice the drain limit, and a second at most.
        try await Self.withPush(drainLimit: .zero) { loop, _, world in
            #expect(await loop.inFlightCount == 1)
            try await eventually("another push") {
                await loop.runPollCycle()
                return await loop.pushes == 2
            }
            #expect(await loop.inFlightCount == 1)
            let logged = world.logs.lines.map(\.message)
            #expect(logged.contains("the client has reported no outcome for some pushes, which count as unanswered"))
        }
    }

    @Test func `a stop that waits for a response flushes the other results, and keeps its leases`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (completed, silent) = (newActivity(), newActivity())
            try await world.register(newToken(), as: completed, of: players[0], for: stored)
            try await world.register(newToken(), as: silent, of: players[1], for: stored)
            var dispatcher = SteppedDispatcher(in: world)
            let sent = Dictionary(uniqueKeysWithValues: try await dispatcher.pushes(2).map { ($0.key.activityID, $0) })
            let loop = dispatcher.loop
            let (first, second) = (try #require(sent[completed]), try #require(sent[silent]))
            async let stop: Void = loop.drain()
            dispatcher.accept(first)
            try await eventually("the flush of the completed push") {
                _ = await loop.presence.renew()
                return try await world.activity(completed, of: stored).lastTimestamp == first.planned.timestamp
            }
            #expect(try await world.activity(silent, of: stored).acknowledgedAt < second.planned.changeAt)
            #expect(await loop.inFlightCount == 1)
            dispatcher.accept(second)
            await stop
            #expect(try await world.activity(silent, of: stored).lastTimestamp == second.planned.timestamp)
        }
    }
}

extension DispatchLoop {
    /// Returns the newest decisions about the activities in the push queues.
    fileprivate func latestDecisionsOfQueuedActivities() -> [DecisionRecord?] {
        shards.values.flatMap { $0.follower.adventures.values.flatMap(\.activities) }
            .filter { $0.queueTicket != nil }
            .map { $0.decisions.records.last }
    }

    fileprivate var sendUntil: ContinuousClock.Instant { presence.sendUntil(of: holder) }

    fileprivate func anotherShard(than shard: Shard) -> Shard? { shards.keys.first { $0 != shard } }

    private func activity(of push: OutgoingPush) -> FollowedActivity? {
        shards[push.order.shard]?.follower.activity(push.key)
    }

    /// Returns when the activity of a push is evaluated again.
    fileprivate func wakeAt(of push: OutgoingPush) -> Timestamp? { activity(of: push)?.wakeAt }

    /// Acquires the shards again after a lapse, and returns whether the state of the activity of a push was kept instead
    /// of loaded.
    fileprivate func keepsState(afterAcquiringAgain push: OutgoingPush) async throws -> Bool {
        let before = try #require(activity(of: push))
        _ = await presence.renew()
        _ = try await acquireFreeShards()
        let after = try #require(activity(of: push))
        if before !== after {
            // Its push is still pending, and the heap or a page of the log may still hold it.
            before.cadence.completed(.retryLater(after: .zero), at: runtime.now(), refunding: &before.device.budget)
            let sent = pushes
            step { shards[push.order.shard]?.follower.evaluate(before, &$0) }
            #expect(pushes == sent && before.wakeAt == nil)
        }
        return before === after
    }

    /// Returns the delays after consecutive outcomes of a push.
    fileprivate func waits(
        after outcomes: [APNsOutcome],
        to push: OutgoingPush,
        classified classification: CircuitBreaker.Classification
    ) -> [Duration] {
        guard let activity = activity(of: push) else { return [] }
        return outcomes.compactMap { outcome -> Duration? in
            let answered = AnsweredPush(push.order, PushAnswer(outcome), classification)
            let disposition = shards[push.order.shard]?.follower.disposition(of: answered, for: activity, context)
            guard case .retryLater(let wait) = disposition else { return nil }
            return wait
        }
    }
}
