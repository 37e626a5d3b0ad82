import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import LiveActivityContent
import PushCadence
import PushDispatch
import TestSupport
import Testing

@testable import PushDispatcher

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
            #expect(push.attributes?.hero?.level == 1 && push.attributes?.hero?.heroType == "Healer")
            // Both have brought the same hero.
            #expect(push.attributes?.playerNames == ["Ada", "Ben"])
            #expect(push.alertKey == "Glitch appeared!" && push.priority == "10")
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
                    try await world.store.startableDevices(of: players).isEmpty
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
            #expect(try await world.store.startableDevices(of: players).map(\.starts.count) == [1])
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
            #expect(try await world.store.startableDevices(of: players).map(\.starts.count) == [0])
        }
    }

    /// Processes the start of an adventure, as its dispatcher does.
    private func start(_ stored: StoredAdventure, in world: DispatchWorld) async {
        await world.starter.process(
            StartRequest(adventureID: stored.id, occasion: .adventureStarted, requestedAt: stored.startedAt)
        )
    }

    @Test func `each device of a player is started by itself, except where Live Activities are off`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let tokens = (0..<3).map { _ in newToken() }
            let devices = (0..<3).map { _ in DeviceID(rawValue: UUID()) }
            for (device, token) in zip(devices, tokens) {
                try await world.commands.device(
                    device,
                    of: players[0],
                    pushToStartToken: token,
                    liveActivitiesEnabled: device != devices[2]
                )
            }
            // The phone shows the adventure, and the tablet does not.
            try await world.register(newToken(), as: newActivity(), of: players[0], on: devices[0], for: stored)
            await start(stored, in: world)
            #expect(tokens.map { world.apns.pushes(to: $0).count } == [0, 1, 0])
            let starts = try await world.store.devices(of: players[0]).map { device in device.starts.map(\.partyID) }
            #expect(starts == [[], [stored.partyID], []])
        }
    }

    @Test func `a device that shows five activities gets no start, whatever another device shows`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let tokens = [newToken(), newToken()]
            let devices = [DeviceID(rawValue: UUID()), DeviceID(rawValue: UUID())]
            for (device, token) in zip(devices, tokens) {
                try await world.commands.device(device, of: players[0], pushToStartToken: token)
            }
            for _ in 0..<Activity.maxLivePerDevice {
                let other = try await world.anotherFight(of: players[0])
                try await world.register(newToken(), as: newActivity(), of: players[0], on: devices[0], for: other)
            }
            await start(stored, in: world)
            #expect(tokens.map { world.apns.pushes(to: $0).count } == [0, 1])
            let reasons = world.logs.lines("no activity was started").compactMap { $0.metadata["reason"] }
            #expect(reasons == ["\(StartDenial.deviceFull)"])
        }
    }

    @Test func `a party that has used its share of starts leaves the rest to the player's other parties`() async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let token = newToken()
            let id = try await world.commands.device(of: players[0], pushToStartToken: token)
            let device = try #require(try await world.store.device(id, of: players[0]))
            // The leader has let the party set out again and again in the last half hour.
            let claimed = (0..<3).map { index in
                PushToStart(
                    .adventure(AdventureID(rawValue: UUID()), stored.partyID),
                    at: stored.startedAt - .seconds(1_800 - 60 * index)
                )
            }
            #expect(try await world.store.claimStart(claimed, for: device))
            await start(stored, in: world)
            #expect(world.apns.pushes(to: token).isEmpty)
            let reasons = world.logs.lines("no activity was started").compactMap { $0.metadata["reason"] }
            #expect(reasons == ["\(StartDenial.partyShare)"])
            let other = try await world.anotherFight(of: players[0])
            await start(other, in: world)
            #expect(world.apns.pushes(to: token).map(\.attributes?.adventureID) == ["\(other.id)"])
        }
    }
}
