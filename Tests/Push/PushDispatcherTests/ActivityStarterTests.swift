import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import LiveActivityContent
import PushCadence
import TestSupport
import Testing

@Suite struct ActivityStarterTests {
    @Test func `a phone without an activity gets exactly one start, and updates once it has registered`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (start, id, token) = (newToken(), newActivity(), newToken())
            try await world.storePushToStartToken(start, of: players[1])
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                try await world.register(token, as: id, of: players[1], for: stored)
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                // The first state has priority 5, so it is the start that has spent.
                try await eventually("the budget") {
                    try await world.activity(id, of: stored).budgetFullAt.map { $0 > Timestamp(epochSeconds: 0) }
                        ?? false
                }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { world.apns.pushes(to: token).last?.event == "end" }
            }
            let pushes = world.apns.pushes(to: start)
            #expect(pushes.map(\.event) == ["start"])
            let push = try #require(pushes.first)
            #expect(push.attributes?.adventureID == "\(stored.id)" && push.attributes?.partyName == "Test")
            #expect(push.attributes?.heroName == "Spouty" && push.attributes?.heroAvatar == "🐳")
            #expect(push.alertKey == "%@ appeared!" && push.priority == "10")
            #expect(push.sequence == stored.adventure.sequence)
            #expect(push.expiration == push.timestamp + 301)
            // The first update of the activity may be sent within the same second.
            #expect(world.apns.pushes(to: token).allSatisfy { $0.timestamp > push.timestamp })
            #expect(world.apns.unreadable == 0)
        }
    }

    @Test func `a phone that shows, or has dismissed, an activity of the adventure gets no start`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (starts, tokens) = ([newToken(), newToken()], [newToken(), newToken()])
            let ids = [newActivity(), newActivity()]
            for (index, player) in players.enumerated() {
                try await world.storePushToStartToken(starts[index], of: player)
                try await world.register(tokens[index], as: ids[index], of: player, for: stored)
            }
            _ = try await world.commands.release(ids[1], of: stored.id, by: players[1], request: nil)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the first state") { !world.apns.pushes(to: tokens[0]).isEmpty }
            }
            // The stop has waited for all requests.
            #expect(starts.flatMap(world.apns.pushes(to:)).isEmpty)
        }
    }

    @Test func `a start waits for the grace period of the app`() async throws {
        try await DispatchWorld.with { world in
            let start = newToken()
            var policy = CadencePolicy()
            policy.pushToStart.appGracePeriod = .milliseconds(600)
            try await world.dispatching(policy: policy) {
                let began = ContinuousClock.now
                let (_, _, players) = try await world.fight()
                try await world.storePushToStartToken(start, of: players[0])
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                #expect(ContinuousClock.now - began >= .milliseconds(600))
            }
        }
    }

    @Test func `no activity is started for an adventure that began a minute ago, or is over`() async throws {
        try await DispatchWorld.with { world in
            let (old, _, players) = try await world.fight()
            let (over, _, others) = try await world.fight()
            try await world.ageStart(of: old, bySeconds: 61)
            _ = try await world.commands.end(over.id, by: .test)
            let (starts, tokens) = ([newToken(), newToken()], [newToken(), newToken()])
            try await world.storePushToStartToken(starts[0], of: players[0])
            try await world.storePushToStartToken(starts[1], of: others[0])
            try await world.register(tokens[0], as: newActivity(), of: players[1], for: old)
            try await world.register(tokens[1], as: newActivity(), of: others[1], for: over)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the states of the others") {
                    tokens.allSatisfy { !world.apns.pushes(to: $0).isEmpty }
                }
            }
            #expect(starts.flatMap(world.apns.pushes(to:)).isEmpty)
        }
    }

    @Test func `a dead token is removed, and the start is not repeated`() async throws {
        try await DispatchWorld.with { world in
            let (_, _, players) = try await world.fight()
            let start = newToken()
            world.apns.respond(to: start, with: .reject(status: 410, body: #"{"reason":"Unregistered","timestamp":1}"#))
            try await world.storePushToStartToken(start, of: players[0])
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the removal of the token") {
                    try await world.store.pushToStartRecords(of: players).isEmpty
                }
            }
            #expect(world.apns.pushes(to: start).count == 1)
        }
    }

    @Test func `a start that APNs rejects is not repeated, even if the log is read again`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let start = newToken()
            world.apns.respond(to: start, with: .reject(status: 503, body: #"{"reason":"ServiceUnavailable"}"#))
            try await world.storePushToStartToken(start, of: players[0])
            for _ in 0..<2 {
                try await world.forgetCheckpoint(of: stored)
                try await world.dispatching(policy: .withoutGracePeriod) {
                    try await eventually("the start request") { try await world.isAcknowledged(stored) }
                }
            }
            #expect(world.apns.pushes(to: start).count == 1)
            #expect(try await world.store.pushToStartRecords(of: players).map(\.starts.count) == [1])
        }
    }

    @Test func `a start is outstanding until its activity has registered`() async throws {
        try await DispatchWorld.with { world in
            let (first, _, players) = try await world.fight()
            let start = newToken()
            try await world.storePushToStartToken(start, of: players[0])
            @Sendable func adventures() -> [String] {
                world.apns.pushes(to: start).compactMap(\.attributes?.adventureID)
            }
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the first start") { adventures() == ["\(first.id)"] }
            }
            let second = try await world.anotherFight(of: players[0])
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the second start request") { try await world.isAcknowledged(second) }
            }
            #expect(adventures() == ["\(first.id)"])
            try await world.register(newToken(), as: newActivity(), of: players[0], for: first)
            let third = try await world.anotherFight(of: players[0])
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the next start") { adventures() == ["\(first.id)", "\(third.id)"] }
            }
        }
    }

    @Test func `concurrent start requests of several nodes and parties for one player lead to one start`() async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let start = newToken()
            try await world.storePushToStartToken(start, of: players[0])
            var fights = [stored]
            for _ in 0..<5 { fights.append(try await world.anotherFight(of: players[0])) }
            try await world.dispatching(policy: .withoutGracePeriod) { [fights] in
                try await world.dispatching(policy: .withoutGracePeriod) {
                    for fight in fights {
                        try await eventually("all start requests") { try await world.isAcknowledged(fight) }
                    }
                }
            }
            #expect(world.apns.pushes(to: start).count == 1)
        }
    }

    @Test func `no start is sent to an environment without a client`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (start, token) = (newToken(), newToken())
            try await world.storePushToStartToken(start, of: players[0], in: .production)
            try await world.register(token, as: newActivity(), of: players[1], for: stored)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the other's state") { !world.apns.pushes(to: token).isEmpty }
            }
            #expect(world.apns.pushes(to: start).isEmpty)
            #expect(try await world.store.pushToStartRecords(of: players).map(\.starts.count) == [0])
        }
    }
}
