import APNsClient
import Foundation
import GameCore
import GameStore
import PushCadence
import RangersMetrics
import ServiceRuntime
import TestSupport
import Testing

@testable import PushDispatcher

/// Until when a push may be sent, and when the next one follows an answer.
@Suite struct PushTimesTests {
    /// Has a loop decide on a push, which is not sent.
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
            let (stored, _, players) = try await world.fight()
            try await world.register(newToken(), as: newActivity(), of: players[0], for: stored)
            let (pushes, outgoing) = AsyncStream<OutgoingPush>.makeStream()
            let loop = world.loop(sending: outgoing, drainLimit: drainLimit)
            try await eventually("a push") {
                // Nothing else does, and a slow machine may take longer than a lease lasts.
                _ = await loop.renewLeases()
                await loop.round()
                return await loop.underWayCount == 1
            }
            try #require(await loop.underWayCount == 1)
            try await body(loop, try #require(await pushes.first { _ in true }), world)
        }
    }

    @Test func `a push may be sent as long as the lease of its shard lasts for sure`() async throws {
        try await Self.withPush { loop, push in
            let sendUntil = try #require(await loop.sendUntil(of: push.shard))
            // What was written down since has renewed the lease.
            let sendBy = try #require(push.request.sendBy)
            let leaseDuration = await loop.settings.leaseDuration
            #expect(sendBy <= sendUntil && sendBy > sendUntil - leaseDuration)
        }
    }

    /// Both would send otherwise, with the same timestamps.
    @Test(arguments: [false, true])
    func `a node that takes a shard again goes on as before, unless somebody else had it in between`(
        someoneElseHadIt: Bool
    ) async throws {
        try await Self.withPush { loop, push, world in
            try await world.lapseLease(of: push.shard)
            if someoneElseHadIt {
                _ = try await world.store.acquireLease(of: push.shard, holder: UUID(), for: .seconds(60))
                try await world.lapseLease(of: push.shard)
            }
            let goesOn = try await loop.goesOnFollowing(whenTakingAgain: push)
            #expect(goesOn == !someoneElseHadIt)
        }
    }

    @Test func `leases that cannot be renewed are tried again at once, and not a whole interval later`() async throws {
        try await Self.withPush { loop, _, world in
            let interval = await loop.renewals.interval
            await loop.letTimePass()
            #expect(await loop.renewLeases() == interval)
            await loop.letTimePass()
            try await world.withoutLeases { #expect(await loop.renewLeases() <= interval / 16) }
            #expect(await loop.renewLeases() == interval)
        }
    }

    @Test func `a lease whose row somebody has locked ends when it does, and no other with it`() async throws {
        try await Self.withPush { loop, push, world in
            await loop.letTimePass()
            let end = try #require(await loop.sendUntil(of: push.shard))
            let interval = await loop.renewals.interval
            try await world.withLockedLease(of: push.shard) {
                // It is tried again soon, and neither renewed nor lost.
                #expect(await loop.renewLeases() <= interval / 16)
                #expect(await loop.sendUntil(of: push.shard) == end)
                for shard in Shard.all where shard != push.shard {
                    if let other = await loop.sendUntil(of: shard) { #expect(other > end) }
                }
            }
            #expect(await loop.renewLeases() == interval)
            #expect(try #require(await loop.sendUntil(of: push.shard)) > end)
        }
    }

    @Test func `what is written down renews the lease with it`() async throws {
        try await Self.withPush { loop, push, _ in
            await loop.letTimePass()
            let end = try #require(await loop.sendUntil(of: push.shard))
            await loop.answers.put(PushAnswer(push, .accepted(apnsID: push.request.id, uniqueID: nil)))
            await loop.takeAnswers()
            #expect(await loop.settle(push.shard))
            #expect(try #require(await loop.sendUntil(of: push.shard)) > end)
        }
    }

    @Test func `a stop gives back all leases but the one whose row somebody has locked`() async throws {
        try await Self.withPush(drainLimit: .zero) { loop, push, world in
            let other = try #require(await loop.anotherShard(than: push.shard))
            try await world.withLockedLease(of: other) { await loop.drain() }
            #expect(try await world.shardsByHolder() == [1])
        }
    }

    /// A lease that runs out meanwhile would stop the pushes of all shards.
    @Test func `whoever has locked an activity's row holds up no renewal`() async throws {
        try await Self.withPush { loop, push, world in
            await loop.answers.put(PushAnswer(push, .accepted(apnsID: push.request.id, uniqueID: nil)))
            await loop.takeAnswers()
            try await world.withLockedActivities {
                async let isWritten = loop.settle(push.shard)
                let interval = await loop.renewals.interval
                await loop.letTimePass()
                #expect(await loop.renewLeases() == interval)
                // It gives up by itself, while the row is still locked.
                #expect(await !isWritten)
            }
            #expect(await loop.settle(push.shard))
        }
    }

    @Test func `a lease that another node has taken counts as lost once, whoever finds it first`() async throws {
        try await Self.withPush { loop, push, world in
            await loop.answers.put(PushAnswer(push, .accepted(apnsID: push.request.id, uniqueID: nil)))
            await loop.takeAnswers()
            try await world.lapseLease(of: push.shard)
            _ = try await world.store.acquireLease(of: push.shard, holder: UUID(), for: .seconds(600))
            await loop.letTimePass()
            async let isWritten = loop.settle(push.shard)
            _ = await loop.renewLeases()
            // What was sent is the other's to find out.
            #expect(await isWritten)
            #expect(await loop.sendUntil(of: push.shard) == nil)
            #expect(await world.registry.text().contains("\nrangers_dispatcher_leases_lost_total 1\n"))
        }
    }

    /// The next holder would send it again, or with timestamps that do not grow.
    @Test func `a shard whose pushes cannot be written down is not given back by a stop`() async throws {
        try await Self.withPush { loop, push, world in
            await loop.answers.put(PushAnswer(push, .accepted(apnsID: push.request.id, uniqueID: nil)))
            try await world.withoutActivities { await loop.drain() }
            #expect(try await world.shardsByHolder() == [1])
        }
    }

    @Test func `a stop writes down the timestamps of pushes that have no answer`() async throws {
        try await Self.withPush(drainLimit: .zero) { loop, push, world in
            await loop.drain()
            #expect(try await world.shardsByHolder().isEmpty)
            let activity = try #require(try await world.store.activities(named: push.key.activityID).first)
            #expect(activity.lastTimestamp == push.planned.timestamp)
            #expect(activity.acknowledgedPosition < push.planned.position)
        }
    }

    @Test func `a phone waits as long as APNs asks for`() async throws {
        try await Self.withPush { loop, push in
            for seconds in [7, 3_600] {
                let refusal = APNsRejection(status: 429, reason: .tooManyRequests, retryAfterSeconds: seconds)
                let wait = try #require(await loop.waits(after: [.rejected(refusal)], to: push, judged: .credible).first)
                // The backoff may add a minute at most.
                #expect(wait >= .seconds(seconds) && wait <= .seconds(seconds + 60))
            }
        }
    }

    @Test func `a token that is refused again and again, and not given up, is tried less and less often`() async throws
    {
        try await Self.withPush { loop, push in
            let refused = APNsOutcome.rejected(APNsRejection(status: 400, reason: .badDeviceToken))
            let waits = await loop.waits(after: Array(repeating: refused, count: 8), to: push, judged: .doubtful)
            let pause = await loop.settings.pauseAfterStop
            let ranges = [1, 2, 4, 8, 16, 32, 32, 32].map { pause * $0 / 2...pause * $0 * 3 / 2 }
            #expect(waits.count == ranges.count)
            for (wait, range) in zip(waits, ranges) { #expect(range.contains(wait)) }
        }
    }

    @Test func `no more pushes are under way than may be, and an answer makes room for the next`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            for player in players { try await world.register(newToken(), as: newActivity(), of: player, for: stored) }
            let (pushes, outgoing) = AsyncStream.makeStream(of: OutgoingPush.self)
            let loop = world.loop(sending: outgoing, mostUnderWay: 1)
            func next() async throws -> OutgoingPush {
                try await eventually("a push") {
                    // Nothing else does, and a slow machine may take longer than a lease lasts.
                    _ = await loop.renewLeases()
                    await loop.round()
                    return await loop.underWayCount == 1
                }
                return try #require(await pushes.first { _ in true })
            }
            let first = try await next()
            for _ in 1...3 { await loop.round() }
            #expect(await loop.pushes == 1)
            #expect(await loop.underWayCount == 1)
            let waiting = await loop.decisionsOfThoseWaitingForRoom()
            #expect(waiting.count == players.count - 1)
            for decision in waiting {
                #expect(decision?.verdict == .delayed(until: try #require(decision).at, .concurrencyLimit))
                #expect(decision?.until == nil)
                #expect(
                    decision?.waitsFor
                        == "It waits: as many pushes are under way as may be, until APNs answers some of them"
                )
            }
            await loop.measure()
            #expect(await world.registry.text().contains("\nrangers_dispatcher_activities_waiting \(waiting.count)\n"))
            await loop.answers.put(PushAnswer(first, .accepted(apnsID: first.request.id, uniqueID: nil)))
            #expect(try await next().key != first.key)
        }
    }

    @Test func `a stop that waits for an answer writes down what the others said, and keeps its leases`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (answered, silent) = (newActivity(), newActivity())
            try await world.register(newToken(), as: answered, of: players[0], for: stored)
            try await world.register(newToken(), as: silent, of: players[1], for: stored)
            let (pushes, outgoing) = AsyncStream.makeStream(of: OutgoingPush.self)
            let loop = world.loop(sending: outgoing)
            try await eventually("two pushes") {
                // Nothing else does, and a slow machine may take longer than a lease lasts.
                _ = await loop.renewLeases()
                await loop.round()
                return await loop.underWayCount == 2
            }
            outgoing.finish()
            var sent: [ActivityID: OutgoingPush] = [:]
            for await push in pushes { sent[push.key.activityID] = push }
            let (first, second) = (try #require(sent[answered]), try #require(sent[silent]))
            async let stop: Void = loop.drain()
            await loop.answers.put(PushAnswer(first, .accepted(apnsID: first.request.id, uniqueID: nil)))
            try await eventually("the row of the one") {
                _ = await loop.renewLeases()
                return try await world.activity(answered, of: stored).lastTimestamp == first.planned.timestamp
            }
            #expect(try await world.activity(silent, of: stored).lastTimestamp == 0)
            #expect(await loop.underWayCount == 1)
            await loop.answers.put(PushAnswer(second, .accepted(apnsID: second.request.id, uniqueID: nil)))
            await stop
            #expect(try await world.activity(silent, of: stored).lastTimestamp == second.planned.timestamp)
        }
    }
}

extension DispatchLoop {
    /// The newest decision of each that waits until fewer pushes are under way.
    fileprivate func decisionsOfThoseWaitingForRoom() -> [DecisionRecord?] {
        shards.values.flatMap { $0.adventures.values.flatMap(\.activities.values) }
            .filter { $0.waitsForRoom != nil }
            .map { $0.decisions.decisions.last }
    }

    fileprivate func sendUntil(of shard: Shard) -> ContinuousClock.Instant? { shards[shard]?.sendUntil }

    fileprivate func anotherShard(than shard: Shard) -> Shard? { shards.keys.first { $0 != shard } }

    /// As if the leases had been renewed the usual time ago.
    fileprivate func letTimePass() {
        for followed in shards.values { followed.sendUntil -= renewals.interval }
    }

    /// Whether the activity of a push is followed as it was after free shards were taken until its shard was, or loaded anew.
    fileprivate func goesOnFollowing(whenTakingAgain push: OutgoingPush) async throws -> Bool {
        let before = try #require(shards[push.shard]?.activity(push.key))
        // With its whole share in hand it would take none.
        shards = shards.filter { $0.key == push.shard }
        for _ in Shard.all where shards[push.shard]?.lease.epoch == push.epoch { try await takeFreeShards() }
        let followed = try #require(shards[push.shard])
        let after = try #require(followed.activity(push.key))
        if before !== after {
            // It still wants its push, as one does that the heap, or a page that was being read, brings up again.
            before.cadence.completed(.retryLater(after: .zero), at: runtime.now(), refunding: &before.phone.budget)
            let sent = pushes
            consider(before, of: followed)
            #expect(pushes == sent && before.wakeAt == nil)
        }
        return before === after
    }

    /// How long the phone of a push waits after each of such answers to it, one after another.
    fileprivate func waits(
        after outcomes: [APNsOutcome],
        to push: OutgoingPush,
        judged verdict: CircuitBreaker.Classification
    ) -> [Duration] {
        guard let activity = shards[push.shard]?.activity(push.key) else { return [] }
        return outcomes.compactMap { outcome -> Duration? in
            let answer = PushAnswer(push, outcome)
            guard case .retryLater(let wait) = completion(of: answer, judged: verdict, for: activity) else {
                return nil
            }
            return wait
        }
    }
}
