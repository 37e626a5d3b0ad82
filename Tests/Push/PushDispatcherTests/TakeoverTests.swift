import APNsClient
import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PushCadence
import PushDispatch
import PushRules
import TestSupport
import Testing

@testable import PushDispatcher

/// What a dispatcher makes pending that takes a shard over, or begins to follow an adventure.
@Suite struct TakeoverTests {
    @Test func `an alert whose acceptance was not flushed is repeated with its identifier`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, id, token) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            dispatcher.accept(try await dispatcher.push())
            _ = try await world.commands.end(stored.id, by: .test)
            let alert = try await dispatcher.push()
            #expect(alert.planned.reason == .alert(.adventureOver))
            // This node crashes: what APNs responded is lost.
            try await world.lapse(holderOf: stored.id.shard)
            try await world.dispatching {
                try await eventually("the end") { try await world.activity(id, of: stored).state == .ended }
            }
            let received = world.apns.pushes(to: token)
            #expect(received.map(\.event) == ["update", "end"])
            #expect(received.first?.apnsID.lowercased() == alert.request.id.uuidString.lowercased())
            // Even if less than a second has passed, phones do not ignore them.
            #expect(received.allSatisfy { $0.timestamp > alert.planned.timestamp })
        }
    }

    @Test func `an end whose acceptance was not flushed is repeated with its identifier, whatever it shows`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, players, id, token) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            dispatcher.accept(try await dispatcher.push())
            _ = try await world.commands.push(.end, to: id, by: .test)
            let end = try await dispatcher.push()
            #expect(end.planned.reason == .end(.requested))
            // This node crashes: what APNs responded is lost. Then the adventure goes on.
            try await world.lapse(holderOf: stored.id.shard)
            try await world.run(.policy(.guard), by: players[0], in: stored)
            try await world.dispatching {
                try await eventually("the end") { try await world.activity(id, of: stored).state == .ended }
            }
            let received = world.apns.pushes(to: token)
            #expect(received.map(\.event) == ["end"])
            #expect(received.first?.apnsID.lowercased() == end.request.id.uuidString.lowercased())
        }
    }

    @Test func `activities registered while a node catches up get the alerts since their registration`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            var dispatcher = SteppedDispatcher(in: world)
            try await eventually("the lease") { [dispatcher] in
                await dispatcher.runCycle()
                return try await world.store.isLeased(stored.id.shard)
            }
            // All of this is read from the log later, and the adventure is loaded as it is in the end.
            let ids = [newActivity(), newActivity()]
            try await world.register(newToken(), as: ids[0], of: players[0], for: stored)
            try await world.run(.policy(.guard), by: players[0], in: stored)
            try await world.register(newToken(), as: ids[1], of: players[1], for: stored)
            _ = try await world.commands.end(stored.id, by: .test)
            let late = newActivity()
            try await world.register(newToken(), as: late, of: players[1], for: stored)
            let decided = try await dispatcher.pushes(3)
            for push in decided {
                let isLate = push.key.activityID == late
                #expect(push.planned.reason == (isLate ? .end(.adventureOver) : .alert(.adventureOver)))
                #expect(isLate || ids.contains(push.key.activityID))
                dispatcher.accept(push)
            }
            let ends = try await dispatcher.pushes(2)
            #expect(Set(ends.map(\.key.activityID)) == Set(ids))
            #expect(ends.allSatisfy { $0.planned.reason == .end(.adventureOver) })
        }
    }

    @Test func `an activity registered while a shard is loaded gets the end of an adventure that ended meanwhile`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, players, _, _) = try await world.shownFight()
            let (shard, late) = (stored.id.shard, newActivity())
            var dispatcher = SteppedDispatcher(in: world)
            let loop = dispatcher.loop
            // The lock lets the dispatcher read the adventures, and no activities yet.
            let loading = try await world.withLockedDecisions {
                let loading = Task {
                    while try await !world.store.isLeased(shard) { await loop.runCycle() }
                }
                try await eventually("the wait for the lock") { try await world.isWaitingForDecisions() }
                _ = try await world.commands.end(stored.id, by: .test)
                try await world.register(newToken(), as: late, of: players[1], for: stored)
                return loading
            }
            try await loading.value
            let pushes = try await dispatcher.pushes(2)
            #expect(pushes.first { $0.key.activityID == late }?.planned.reason == .end(.adventureOver))
        }
    }

    @Test func `a registration that was loaded is not observed again from the log`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, _, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the state") { !world.apns.pushes(to: token).isEmpty }
            }
            try await world.forgetCheckpoint(of: stored)
            let other = newToken()
            try await world.register(other, as: newActivity(), of: players[1], for: stored)
            try await world.dispatching {
                try await eventually("the other's state") { !world.apns.pushes(to: other).isEmpty }
                try await eventually("the end of the log") { try await world.isAcknowledged(stored) }
            }
            #expect(world.apns.pushes(to: token).count == 1 && world.apns.pushes(to: other).count == 1)
        }
    }

    @Test func `a requested push that was not sent is sent by the next dispatcher`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, id, token) = try await world.shownFight()
            world.apns.respond(to: token, with: .never)
            try await world.dispatching(drainLimit: .zero) {
                _ = try await world.commands.push(.update, to: id, by: .test)
                try await eventually("a try") { !world.apns.pushes(to: token).isEmpty }
            }
            world.apns.respond(to: token, with: .accept)
            let accepted = #""outcome":"accepted""#
            try await world.dispatching {
                try await eventually("the report") {
                    try await world.store.requestedPush(for: id, of: stored.id)?.report.contains(accepted) == true
                }
                try await eventually("the checkpoint") { try await world.isAcknowledged(stored) }
            }
        }
    }

    @Test func `an adventure that could not be played ends on its phones when an operator ends it`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, id, token) = try await world.shownFight()
            try await world.run(.policy(.guard), by: players[0], in: stored)
            try await world.damageInput(of: stored)
            try await world.dispatching {
                try await eventually("the fault") {
                    !world.logs.lines("an adventure cannot be played, and is not shown").isEmpty
                }
                _ = try? await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { try await world.activity(id, of: stored).state == .ended }
                let late = newActivity()
                try await world.register(newToken(), as: late, of: players[0], for: stored)
                try await eventually("the end of an activity that is registered afterwards") {
                    try await world.activity(late, of: stored).state == .ended
                }
            }
            #expect(world.apns.pushes(to: token).map(\.event) == ["end"])
        }
    }

    @Test func `ticks reach the phones when the clock passes them`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, _, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                let due = try #require(stored.turnDueAt)
                // No engine runs: the turn ends when the clock is moved past its deadline.
                try await world.moveClock(of: stored.id.shard, to: due)
                try await eventually("the next turn") {
                    (world.apns.pushes(to: token).last?.sequence ?? 0) > stored.adventure.sequence
                }
            }
        }
    }
}
