import APNsClient
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PushCadence
import PushDispatch
import TestSupport
import Testing

@testable import PushDispatcher

@Suite struct PushDispatcherTests {
    @Test func `a newly registered activity gets the current state at once, and then updates`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, id, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
                try await eventually("the row says so") { try await world.activity(id, of: stored).state == .ended }
            }
            let pushes = world.apns.pushes(to: token)
            #expect(pushes[0].sequence == stored.adventure.sequence && pushes[0].event == "update")
            #expect(pushes.map(\.timestamp) == Array(Set(pushes.map(\.timestamp))).sorted())
            // An alert announces the operator's end, and then the activity ends with the final state.
            #expect(pushes.suffix(2).map(\.event) == ["update", "end"])
            #expect(pushes.suffix(2).first?.alertKey != nil && pushes.suffix(2).first?.priority == "10")
            #expect(pushes.last?.outcome == "endedByOperator")
            #expect(world.apns.unreadable == 0)
        }
    }

    @Test func `the activities of a disbanded party get their end`() async throws {
        try await DispatchWorld.with { world in
            let (stored, party, players) = try await world.fight()
            let (id, token) = (newActivity(), newToken())
            try await world.register(token, as: id, of: players[1], for: stored)
            try await world.commands.disband(party, by: .test)
            try await world.dispatching {
                try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
                try await eventually("the row says so") { try await world.activity(id, of: stored).state == .ended }
            }
            #expect(world.apns.pushes(to: token).last?.outcome == "endedByOperator")
        }
    }

    @Test func `a new dispatcher continues where the last one stopped, and repeats nothing`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, _, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
            }
            let before = world.apns.pushes(to: token)
            // No dispatcher runs while the adventure ends.
            _ = try await world.commands.end(stored.id, by: .test)
            try await world.dispatching {
                try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
            }
            let after = world.apns.pushes(to: token).dropFirst(before.count)
            #expect(after.map(\.event) == ["update", "end"])
            #expect(after.first?.alertKey != nil)
            #expect(Set(world.apns.pushes(to: token).map(\.apnsID)).count == before.count + after.count)
        }
    }

    @Test func `a new dispatcher sends only the end if the last one sent its alert`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, _, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                _ = try await world.commands.end(stored.id, by: .test)
                // The end would follow a second later; the dispatcher is stopped before.
                try await eventually("the alert") { world.apns.pushes(to: token).last?.alertKey != nil }
            }
            try await world.dispatching {
                try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
            }
            #expect(world.apns.pushes(to: token).map(\.event) == ["update", "update", "end"])
        }
    }

    @Test func `a dead token is never used again, and its successor is`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, dead, fresh) = (newActivity(), newToken(), newToken())
            world.apns.respond(to: dead, with: .reject(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            try await world.register(dead, as: id, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("the row says so") { try await world.activity(id, of: stored).state == .dead }
                try await world.register(fresh, as: id, of: players[0], for: stored)
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { world.apns.pushes(to: fresh).last?.event == "end" }
                try await eventually("the row says so") { try await world.activity(id, of: stored).state == .ended }
            }
            #expect(world.apns.pushes(to: dead).count == 1)
        }
    }

    @Test func `an end that APNs rejects for a replaced token is sent to the new one`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, id, _) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            dispatcher.accept(try await dispatcher.push())
            _ = try await world.commands.push(.end, to: id, by: .test)
            let end = try await dispatcher.push()
            try await world.register(newToken(), as: id, of: players[0], for: stored)
            await dispatcher.runCycle()
            dispatcher.reject(end)
            let repeated = try await dispatcher.push()
            #expect(repeated.planned.reason == .end(.requested) && repeated.order.generation == 2)
            #expect(try await world.activity(id, of: stored).state == .live)
        }
    }

    @Test func `a player's activities in two parties share a budget`() async throws {
        var policy = CadencePolicy()
        policy.frequent.highCapacity = 3
        policy.frequent.alertReserve = 2
        try await DispatchWorld.with { [policy] world in
            let (stored, _, players) = try await world.fight()
            let another = try await world.anotherFight(of: players[0])
            let (first, second) = (newToken(), newToken())
            try await world.dispatching(policy: policy) {
                for (token, fight) in [(first, stored), (second, another)] {
                    let id = newActivity()
                    try await world.register(token, as: id, of: players[0], for: fight)
                    try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                    _ = try await world.commands.push(.update, to: id, by: .test)
                    try await eventually("the requested push") { world.apns.pushes(to: token).count > 1 }
                }
            }
            #expect(world.apns.pushes(to: first).map(\.priority).prefix(2) == ["5", "10"])
            #expect(world.apns.pushes(to: second).map(\.priority).prefix(2) == ["5", "5"])
        }
    }
}

/// Pushes that an operator requests.
@Suite struct RequestedPushTests {
    @Test func `a requested push sends the newest state to a live activity, and to no other`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, id, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                let before = world.apns.pushes(to: token).count
                let requestedAt = try await world.clock(of: stored.id.shard)
                let position = try await world.commands.push(.update, to: id, by: .test)
                try await eventually("another push") { world.apns.pushes(to: token).count > before }
                try await eventually("the acknowledgement") {
                    try await world.activity(id, of: stored).acknowledgedAt > requestedAt
                }
                try await eventually("the report") {
                    try await world.store.requestedPush(for: id, of: stored.id)?.position == position
                }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the row says so") { try await world.activity(id, of: stored).state == .ended }
                await #expect(throws: CommandError.activityNotLive) {
                    try await world.commands.push(.update, to: id, by: .test)
                }
            }
            // It may wait for the minimum spacing of a second.
            let decisions = try await world.decisions(for: id, of: stored)
            #expect(decisions.contains { $0.triggerText == "An operator requested a push" })
            let sent = decisions.first { $0.reasonText == "an operator requested it: current state" }
            #expect(sent?.actionText == "Sent at priority 10, accepted")
            let report = try #require(try await world.store.requestedPush(for: id, of: stored.id)?.report)
            #expect(report.contains(#""outcome":"accepted""#))
            #expect(report.contains(#"{"name":"apns-priority","value":"10"}"#))
            #expect(report.contains("bearer <redacted>"))
            let secret = try #require(DeviceToken(bytes: token)).hex
            #expect(!report.contains(secret.dropFirst(secret.count / 2)))
            let timestamps = world.apns.pushes(to: token).map(\.timestamp)
            #expect(timestamps == Array(Set(timestamps)).sorted())
            await #expect(throws: CommandError.unknownActivity) {
                try await world.commands.push(.update, to: newActivity(), by: .test)
            }
        }
    }

    @Test func `a requested end ends one activity with its current state, and the others go on`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, token) = (newActivity(), newToken())
            let (other, otherToken) = (newActivity(), newToken())
            try await world.register(token, as: id, of: players[0], for: stored)
            try await world.register(otherToken, as: other, of: players[1], for: stored)
            try await world.dispatching {
                try await eventually("both states") {
                    !world.apns.pushes(to: token).isEmpty && !world.apns.pushes(to: otherToken).isEmpty
                }
                let position = try await world.commands.push(.end, to: id, by: .test)
                try await eventually("the row says so") { try await world.activity(id, of: stored).state == .ended }
                try await eventually("the report") {
                    try await world.store.requestedPush(for: id, of: stored.id)?.position == position
                }
                #expect(try await world.activity(other, of: stored).state == .live)
            }
            let last = try #require(world.apns.pushes(to: token).last)
            #expect(last.event == "end" && last.outcome == nil && last.sequence == stored.adventure.sequence)
            let decisions = try await world.decisions(for: id, of: stored)
            #expect(decisions.contains { $0.triggerText == "An operator requested the end" })
            #expect(decisions.last?.reasonText == "an operator requested the end: current state")
        }
    }
}
