import APNsClient
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PushDispatch
import ServiceRuntime
import TestSupport
import Testing

@testable import PushDispatcher

@Suite struct SharingTests {
    /// On a busy machine a cycle takes seconds, in which no lease must expire.
    private static let leaseDuration = Duration.seconds(60)

    @Test func `a new dispatcher is handed its share, and continues where the previous holder stopped`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, activity, token) = try await world.shownFight()
            try await world.dispatching(leaseDuration: Self.leaseDuration) {
                try await eventually("all leases") { try await world.shardsByHolder() == [256] }
                try await eventually("the first push") { world.apns.pushes(to: token).count == 1 }
                try await world.dispatching(leaseDuration: Self.leaseDuration) {
                    try await eventually("halves") { try await world.shardsByHolder() == [128, 128] }
                    try await world.dispatching(leaseDuration: Self.leaseDuration) {
                        try await eventually("thirds") { try await world.shardsByHolder() == [85, 85, 86] }
                        _ = try await world.commands.end(stored.id, by: .test)
                        try await eventually("the end") {
                            try await world.activity(activity, of: stored).state == .ended
                        }
                    }
                    try await eventually("halves again") { try await world.shardsByHolder() == [128, 128] }
                }
                try await eventually("all leases again") { try await world.shardsByHolder() == [256] }
            }
            #expect(try await world.isAcknowledged(stored))
        }
    }

    @Test func `a node that does not know everything in a shard makes way for others, and alone keeps the rest`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (old, new) = (world.loop(), world.loop())
            await old.meetUnknownEntry(in: Shard(rawValue: 7))
            try await eventually("the leases of all other shards") {
                await old.runCycle()
                return try await world.shardsByHolder() == [255]
            }
            try await eventually("all leases of the other node") {
                for loop in [old, new] { await loop.runCycle() }
                return await new.shardCount == 256
            }
            #expect(await old.shardCount == 0)
            await old.forgetUnknownEntries()
            try await eventually("halves") {
                for loop in [old, new] { await loop.runCycle() }
                return try await world.shardsByHolder() == [128, 128]
            }
        }
    }

    @Test func `a shard is kept until what was sent is flushed, after an interruption of the database, too`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, id, _) = try await world.shownFight()
            let shard = stored.id.shard
            var dispatcher = SteppedDispatcher(in: world)
            let push = try await dispatcher.push()
            let loop = dispatcher.loop
            try await world.withoutDatabase { _ = await loop.presence.renew() }
            try await eventually("the interruption") {
                _ = await loop.presence.renew()
                return await loop.isInterrupted
            }
            dispatcher.accept(push)
            await loop.leave(shard)
            // The logs are not read yet, so nothing is flushed.
            await loop.runPollCycle()
            #expect(try await world.store.isLeased(shard))
            try await eventually("the release") {
                await loop.runPollCycle()
                return try await !world.store.isLeased(shard)
            }
            #expect(try await world.activity(id, of: stored).lastTimestamp > 0)
        }
    }

    @Test func `a locked lease row delays no phone`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, id, token) = try await world.shownFight()
            try await world.dispatching(leaseDuration: Self.leaseDuration) {
                try await eventually("the state") { !world.apns.pushes(to: token).isEmpty }
                try await world.withLockedLease(of: stored.id.shard) {
                    _ = try await world.commands.end(stored.id, by: .test)
                    try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
                }
                try await eventually("the flush") { try await world.activity(id, of: stored).state == .ended }
            }
        }
    }

    @Test func `a dispatcher whose row is locked goes on under another holder`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, _, token) = try await world.shownFight()
            try await world.dispatching(leaseDuration: .seconds(1)) {
                try await eventually("the state") { !world.apns.pushes(to: token).isEmpty }
                try await world.withLockedDispatchers {
                    try await eventually("the lapse") {
                        !world.logs.lines("this node was too late to renew its presence, and lost its leases").isEmpty
                    }
                    _ = try await world.commands.end(stored.id, by: .test)
                    try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
                }
            }
        }
    }
}

extension DispatchLoop {
    var shardCount: Int { shards.count }

    /// Whether the database was interrupted since the logs were read.
    fileprivate var isInterrupted: Bool { presence.wasInterrupted(after: followedAt) }

    fileprivate func leave(_ shard: Shard) { shards[shard]?.follower.isLeaving = true }

    fileprivate func meetUnknownEntry(in shard: Shard) {
        unsupportedShards[shard] = runtime.uptime() + Self.unsupportedRetryInterval
    }

    fileprivate func forgetUnknownEntries() {
        unsupportedShards = unsupportedShards.mapValues { _ in runtime.uptime() }
    }
}
