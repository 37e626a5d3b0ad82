import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PushCadence
import PushDispatch
import RangersMetrics
import TestSupport
import Testing

@testable import PushDispatcher

/// Shards whose log or clock is not what a dispatcher has read, or not what its version knows.
@Suite struct ShardFaultTests {
    /// Starts a fight with an activity, and runs `body` while a dispatcher sends its first state.
    private func withActivity(
        _ body: @Sendable (DispatchWorld, StoredAdventure, PlayerID, ActivityID, _ token: [UInt8]) async throws -> Void
    ) async throws {
        try await DispatchWorld.with { world in
            let (stored, players, id, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                try await body(world, stored, players[0], id, token)
            }
        }
    }

    private func expectAnotherState(_ world: DispatchWorld, _ stored: StoredAdventure, _ token: [UInt8]) async throws {
        let before = world.apns.pushes(to: token)
        try await eventually("the fork") {
            await world.registry.text().contains("\nrangers_log_forks_total 1\n")
        }
        try await eventually("the current state") { world.apns.pushes(to: token).count > before.count }
        _ = try await world.commands.end(stored.id, by: .test)
        try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
        let timestamps = world.apns.pushes(to: token).map(\.timestamp)
        #expect(timestamps == Array(Set(timestamps)).sorted())
        #expect(await world.registry.text().contains("\nrangers_log_forks_total 1\n"))
    }

    @Test func `a shard with another log is loaded anew, and its phones get the current state`() async throws {
        try await withActivity { world, stored, _, _, token in
            try await world.changeDigest(of: stored.id.shard)
            try await expectAnotherState(world, stored, token)
        }
    }

    @Test func `a shard whose clock went back is loaded anew`() async throws {
        try await withActivity { world, stored, _, _, token in
            try await world.setClockBack(of: stored.id.shard)
            try await expectAnotherState(world, stored, token)
        }
    }

    @Test func `after a failover that lost an input, phones show the state without it`() async throws {
        try await withActivity { world, stored, player, _, token in
            let hero = try #require(stored.adventure.turn?.hero)
            let acting = stored.adventure.heroes[hero.rawValue].playerID
            try await world.losingCommits(of: stored.id.shard) {
                try await world.run(.attack, by: acting, in: stored)
                try await eventually("the attack") {
                    (world.apns.pushes(to: token).last?.sequence ?? 0) > stored.adventure.sequence
                }
            }
            try await eventually("the state without it") {
                world.apns.pushes(to: token).last?.sequence == stored.adventure.sequence
            }
            try await eventually("the loss") {
                await world.registry.text().contains("\nrangers_lost_log_entries_total 1\n")
            }
            try await eventually("the note") { try await world.store.lostCommits()?.lost.entries == 1 }
            try await world.run(.attack, by: acting, in: stored)
            try await eventually("the new attack") {
                (world.apns.pushes(to: token).last?.sequence ?? 0) > stored.adventure.sequence
            }
        }
    }

    @Test
    func `a shard whose lease the database lost is acquired again, with timestamps later than those that were sent`()
        async throws
    {
        try await withActivity { world, stored, _, _, token in
            let before = world.apns.pushes(to: token)
            // On the server that takes over.
            world.game.clock.advance(by: .seconds(-5))
            try await world.loseLease(of: stored.id.shard)
            try await eventually("the state") { world.apns.pushes(to: token).count > before.count }
            _ = try await world.commands.end(stored.id, by: .test)
            try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
            let timestamps = world.apns.pushes(to: token).map(\.timestamp)
            #expect(timestamps == Array(Set(timestamps)).sorted())
        }
    }

    @Test func `a node that loses its lease in a failover knows what was lost with it`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, _, _) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            dispatcher.accept(try await dispatcher.push())
            try await world.losingCommits(of: stored.id.shard) {
                try await world.register(newToken(), as: newActivity(), of: players[1], for: stored)
                _ = try await dispatcher.push()
            }
            try await world.loseLease(of: stored.id.shard)
            try await eventually("the note") { [dispatcher] in
                _ = await dispatcher.loop.acquireShards()
                return try await world.store.lostCommits().map { ($0.shards, $0.lost.entries) } ?? (0, 0) == (1, 1)
            }
        }
    }

    @Test func `a node that loads a shard after commits may have been lost corrects its phones once, quietly`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, _, token) = try await world.shownFight()
            var policy = CadencePolicy()
            policy.frequent.lowSpacing = policy.frequent.turnSpacing
            try await world.dispatching(policy: policy) {
                try await eventually("the state") { !world.apns.pushes(to: token).isEmpty }
                try await eventually("its flush") { try await world.isAcknowledged(stored) }
                let before = world.apns.pushes(to: token)
                try await world.loseEpoch(of: stored.id.shard)
                try await eventually("the correction") { world.apns.pushes(to: token).count > before.count }
                try await eventually("its response") { try await world.isAcknowledged(stored) }
                let pushes = world.apns.pushes(to: token)
                #expect(pushes.count == before.count + 1 && pushes.last?.priority == "5")
            }
        }
    }

    @Test func `a lease that the database brought back to a node that does not follow the shard is acquired anew`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, id, _) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            _ = await dispatcher.loop.presence.renew()
            let holder = try #require(dispatcher.loop.presence.holder)
            try await world.bringBackLease(of: stored.id.shard, to: holder)
            #expect(try await world.store.isLeased(stored.id.shard))
            #expect(try await dispatcher.push().key.activityID == id)
        }
    }

    @Test func `a gap in the log that is older than the lease is skipped`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, _, _) = try await world.shownFight()
            try await world.removeNewestEntry(of: stored.id.shard)
            var dispatcher = SteppedDispatcher(in: world)
            #expect(try await dispatcher.push().planned.reason == .newToken)
            #expect(await world.registry.text().contains("\nrangers_log_forks_total 0\n"))
        }
    }

    @Test func `a shard with a new gap in its log is loaded anew`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, first, _) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            dispatcher.accept(try await dispatcher.push())
            let second = newActivity()
            try await world.register(newToken(), as: second, of: players[1], for: stored)
            try await world.removeNewestEntry(of: stored.id.shard)
            #expect(try await Set(dispatcher.pushes(2).map(\.key.activityID)) == [first, second])
            #expect(await world.registry.text().contains("\nrangers_log_forks_total 1\n"))
        }
    }

    @Test func `a shard whose log cannot be read delays the results of no other`() async throws {
        try await withActivity { world, stored, player, _, _ in
            let other = try await world.fight(of: player, notIn: stored.id.shard)
            let id = newActivity()
            try await world.register(newToken(), as: id, of: player, for: other)
            try await world.appendUndecodableEntry(to: stored)
            try await eventually("the failure") {
                !world.logs.lines("shard \(stored.id.shard.rawValue) could not be followed").isEmpty
            }
            _ = try await world.commands.end(other.id, by: .test)
            try await eventually("the other's end") { try await world.activity(id, of: other).state == .ended }
        }
    }

    @Test func `a shard with an entry of an unknown kind is left to another node`() async throws {
        try await withActivity { world, stored, _, _, token in
            try await world.appendUnknownEntry(to: stored)
            try await eventually("the release") { try await !world.store.isLeased(stored.id.shard) }
            try await eventually("the gauge") {
                await world.registry.text().contains("\nrangers_dispatcher_shards_unsupported 1\n")
            }
            // Nothing past the entry is shown.
            _ = try await world.commands.end(stored.id, by: .test)
            let (other, otherToken) = (try await world.fight().stored, newToken())
            let player = other.adventure.heroes[0].playerID
            try await world.register(otherToken, as: newActivity(), of: player, for: other)
            if other.id.shard != stored.id.shard {
                try await eventually("another shard's state") { !world.apns.pushes(to: otherToken).isEmpty }
            }
            #expect(world.apns.pushes(to: token).allSatisfy { $0.event == "update" })
        }
    }

    @Test func `a shard that needs a newer version is left to another node`() async throws {
        try await withActivity { world, stored, _, _, _ in
            try await world.requireNewerVersion(of: stored.id.shard)
            try await eventually("the release") { try await !world.store.isLeased(stored.id.shard) }
            #expect(
                !world.logs.lines("this node does not know everything in a shard, and leaves it to others").isEmpty
            )
        }
    }

    @Test func `an adventure that cannot be played is not shown, and delays no other`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, _, damagedToken) = try await world.shownFight()
            try await world.run(.policy(.guard), by: players[0], in: stored)
            try await world.damageInput(of: stored)
            let (other, token) = (try await world.anotherFight(of: players[1]), newToken())
            try await world.register(token, as: newActivity(), of: players[1], for: other)
            try await world.dispatching {
                try await eventually("the other's state") { !world.apns.pushes(to: token).isEmpty }
                try await eventually("the fault") {
                    !world.logs.lines("an adventure cannot be played, and is not shown").isEmpty
                }
            }
            #expect(world.apns.pushes(to: damagedToken).isEmpty)
        }
    }

    @Test func `after an outage, phones show the new deadline of the turn`() async throws {
        try await withActivity { world, stored, _, id, token in
            let deadline = try #require(world.apns.pushes(to: token).last?.turnEnds)
            try await world.passOutage(of: stored.id.shard)
            try await eventually("the new deadline") {
                (world.apns.pushes(to: token).last?.turnEnds ?? 0) >= deadline + 9
            }
            #expect(world.apns.pushes(to: token).last?.sequence == stored.adventure.sequence)
            try await eventually("the decision") {
                try await world.decisions(for: id, of: stored).contains {
                    $0.triggerText == "The game stood still during an outage"
                }
            }
        }
    }
}
