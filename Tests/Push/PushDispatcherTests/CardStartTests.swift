import GameCore
import GameEngine
import GameStore
import GameTestSupport
import LiveActivityContent
import PushCadence
import TestSupport
import Testing

@Suite struct CardStartTests {
    @Test func `a phone without a card gets exactly one start, registers, and then gets what changes`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (start, id, token) = (newToken(), newActivity(), newToken())
            try await world.keepPushToStart(start, of: players[1])
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                try await world.register(token, as: id, of: players[1], for: stored)
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
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
            // The card's first update goes out within the same second.
            #expect(world.apns.pushes(to: token).allSatisfy { $0.timestamp > push.timestamp })
            #expect(world.apns.unreadable == 0)
        }
    }

    @Test func `a phone that shows the adventure already gets no start, nor one that has put it away`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (starts, tokens) = ([newToken(), newToken()], [newToken(), newToken()])
            let ids = [newActivity(), newActivity()]
            for (index, player) in players.enumerated() {
                try await world.keepPushToStart(starts[index], of: player)
                try await world.register(tokens[index], as: ids[index], of: player, for: stored)
            }
            _ = try await world.commands.release(ids[1], of: stored.id, by: players[1], request: nil)
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the first state") { !world.apns.pushes(to: tokens[0]).isEmpty }
            }
            // Whatever was asked for before the stop has been done by now.
            #expect(starts.flatMap(world.apns.pushes(to:)).isEmpty)
        }
    }

    @Test func `the app has its time to make the card itself`() async throws {
        try await DispatchWorld.with { world in
            let start = newToken()
            var policy = CadencePolicy()
            policy.pushToStart.grace = .milliseconds(600)
            try await world.dispatching(policy: policy) {
                let began = ContinuousClock.now
                let (_, _, players) = try await world.fight()
                try await world.keepPushToStart(start, of: players[0])
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                #expect(ContinuousClock.now - began >= .milliseconds(600))
            }
        }
    }

    @Test func `an adventure that began a minute ago starts no cards, nor one that is over`() async throws {
        try await DispatchWorld.with { world in
            let (old, _, players) = try await world.fight()
            let (over, _, others) = try await world.fight()
            try await world.ageBeginning(of: old, bySeconds: 61)
            _ = try await world.commands.end(over.id, by: .test)
            let (starts, tokens) = ([newToken(), newToken()], [newToken(), newToken()])
            try await world.keepPushToStart(starts[0], of: players[0])
            try await world.keepPushToStart(starts[1], of: others[0])
            try await world.register(tokens[0], as: newActivity(), of: players[1], for: old)
            try await world.register(tokens[1], as: newActivity(), of: others[1], for: over)
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("what the others get") {
                    tokens.allSatisfy { !world.apns.pushes(to: $0).isEmpty }
                }
            }
            #expect(starts.flatMap(world.apns.pushes(to:)).isEmpty)
        }
    }

    @Test func `a dead token is forgotten, and the start is not sent again`() async throws {
        try await DispatchWorld.with { world in
            let (_, _, players) = try await world.fight()
            let start = newToken()
            world.apns.answer(start, with: .refuse(status: 410, body: #"{"reason":"Unregistered","timestamp":1}"#))
            try await world.keepPushToStart(start, of: players[0])
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the token is forgotten") {
                    try await world.store.pushToStartRecords(of: players).isEmpty
                }
            }
            #expect(world.apns.pushes(to: start).count == 1)
        }
    }

    @Test func `a start that APNs cannot take is not sent again, even when the log is read again`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let start = newToken()
            world.apns.answer(start, with: .refuse(status: 503, body: #"{"reason":"ServiceUnavailable"}"#))
            try await world.keepPushToStart(start, of: players[0])
            for _ in 0..<2 {
                try await world.forgetCheckpoint(of: stored)
                try await world.dispatching(policy: .withoutGrace) {
                    try await eventually("the start was asked for") { try await world.isSettled(stored) }
                }
            }
            #expect(world.apns.pushes(to: start).count == 1)
            #expect(try await world.store.pushToStartRecords(of: players).map(\.starts.count) == [1])
        }
    }

    @Test func `one start is outstanding until its card has reported its token`() async throws {
        try await DispatchWorld.with { world in
            let (first, _, players) = try await world.fight()
            let start = newToken()
            try await world.keepPushToStart(start, of: players[0])
            @Sendable func adventures() -> [String] {
                world.apns.pushes(to: start).compactMap(\.attributes?.adventureID)
            }
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the first start") { adventures() == ["\(first.id)"] }
            }
            let second = try await world.anotherFight(of: players[0])
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the second start was asked for") { try await world.isSettled(second) }
            }
            #expect(adventures() == ["\(first.id)"])
            try await world.register(newToken(), as: newActivity(), of: players[0], for: first)
            let third = try await world.anotherFight(of: players[0])
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the next start") { adventures() == ["\(first.id)", "\(third.id)"] }
            }
        }
    }

    @Test func `of many nodes and parties that want a card for one player at once, one gets it`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let start = newToken()
            try await world.keepPushToStart(start, of: players[0])
            var fights = [stored]
            for _ in 0..<5 { fights.append(try await world.anotherFight(of: players[0])) }
            try await world.dispatching(policy: .withoutGrace) { [fights] in
                try await world.dispatching(policy: .withoutGrace) {
                    for fight in fights {
                        try await eventually("all starts were asked for") { try await world.isSettled(fight) }
                    }
                }
            }
            #expect(world.apns.pushes(to: start).count == 1)
        }
    }

    @Test func `a token of an environment that is not served here starts nothing`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (start, token) = (newToken(), newToken())
            try await world.keepPushToStart(start, of: players[0], in: .production)
            try await world.register(token, as: newActivity(), of: players[1], for: stored)
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the other's state") { !world.apns.pushes(to: token).isEmpty }
            }
            #expect(world.apns.pushes(to: start).isEmpty)
            #expect(try await world.store.pushToStartRecords(of: players).map(\.starts.count) == [0])
        }
    }
}
