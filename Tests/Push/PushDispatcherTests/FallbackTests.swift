import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics
import TestSupport
import Testing

@testable import PushDispatcher

/// Ordinary alerts to devices without a Live Activity of the adventure.
@Suite struct FallbackTests {
    private static let gone = RecordingAPNs.Response.reject(
        status: 410,
        body: #"{"reason":"Unregistered","timestamp":1}"#
    )

    @Test
    func `a device without Live Activities gets the beginning and the end, and one with an activity gets neither`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (alert, covered, id, token) = (newToken(), newToken(), newActivity(), newToken())
            try await world.commands.device(of: players[0], alertToken: covered)
            try await world.register(token, as: id, of: players[0], for: stored)
            try await world.commands.device(of: players[1], alertToken: alert, liveActivitiesEnabled: false)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the beginning") { !world.apns.alerts(to: alert).isEmpty }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { world.apns.alerts(to: alert).count == 2 }
                try await eventually("the activity's end") { world.apns.pushes(to: token).last?.event == "end" }
            }
            let alerts = world.apns.alerts(to: alert)
            #expect(alerts.map(\.titleKey) == ["Glitch appeared!", "The adventure is over."])
            #expect(alerts.allSatisfy { $0.topic == "com.example.rangers" && $0.collapseID == "\(stored.id)" })
            #expect(world.apns.alerts(to: covered).isEmpty && world.apns.unreadable == 0)
        }
    }

    @Test func `an adventure without activities is followed, also by the next holder, which repeats no alert`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let alert = newToken()
            try await world.commands.device(of: players[1], alertToken: alert, liveActivitiesEnabled: false)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the beginning") { !world.apns.alerts(to: alert).isEmpty }
                try await world.run(.attack, by: players[0], in: stored)
                try await eventually("the turn") { world.apns.alerts(to: alert).count == 2 }
            }
            try await world.forgetCheckpoint(of: stored)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the next holder") { try await world.isAcknowledged(stored) }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { world.apns.alerts(to: alert).count == 3 }
            }
            #expect(
                world.apns.alerts(to: alert).map(\.titleKey) == [
                    "Glitch appeared!", "It is your turn!", "The adventure is over.",
                ]
            )
            #expect(
                try await world.store.markedAdventures(of: stored.id.shard, endedAfter: stored.startedAt) == [stored.id]
            )
        }
    }

    @Test func `a device that registers its token during an adventure is found`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            #expect(try await world.store.liveAdventures(of: [stored.id.shard], markedAfter: stored.startedAt).isEmpty)
            try await world.commands.device(of: players[1], alertToken: newToken())
            #expect(
                try await world.store.liveAdventures(of: [stored.id.shard], markedAfter: stored.startedAt) == [
                    stored.id
                ]
            )
            _ = try await world.commands.end(stored.id, by: .test)
            #expect(try await world.store.liveAdventures(of: [stored.id.shard], markedAfter: stored.startedAt).isEmpty)
        }
    }

    @Test func `a player with an alert token who joins an adventure gets its alerts`() async throws {
        try await DispatchWorld.with { world in
            let (stored, id, _) = try await world.fight()
            let (alert, newcomer) = (newToken(), try await world.game.player("Cleo"))
            try await world.commands.device(of: newcomer, alertToken: alert)
            // The look at the start of the adventure does not come.
            var policy = CadencePolicy()
            policy.pushToStart.appGracePeriod = .seconds(3_600)
            try await world.dispatching(policy: policy) {
                _ = try await world.game.join(try await world.game.party(id), newcomer)
                try await eventually("the mark") { try await world.isMarked(stored) }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { !world.apns.alerts(to: alert).isEmpty }
            }
            #expect(world.apns.alerts(to: alert).map(\.titleKey) == ["The adventure is over."])
        }
    }

    @Test func `an adventure is followed for its alerts while APNs does not respond to a start`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let start = newToken()
            world.apns.respond(to: start, with: .never)
            try await world.commands.device(of: players[0], pushToStartToken: start)
            try await world.commands.device(of: players[1], alertToken: newToken())
            // Without the mark that the registration has set.
            try await world.removeAlertMarks(of: stored.id.shard)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the mark") { try await world.isMarked(stored) }
                #expect(world.logs.lines("a start got no response, and is not repeated").isEmpty)
            }
        }
    }

    @Test func `a key that may not send alerts stops no Live Activity`() async throws {
        try await DispatchWorld.with { world in
            let (stored, party, players) = try await world.fight()
            let token = newToken()
            try await world.register(token, as: newActivity(), of: players[0], for: stored)
            let newcomers = [try await world.game.player("Cleo"), try await world.game.player("Dan")]
            for player in newcomers { _ = try await world.game.join(try await world.game.party(party), player) }
            for player in newcomers + [players[1]] {
                let alert = newToken()
                world.apns.respond(
                    to: alert,
                    with: .reject(status: 400, body: #"{"reason":"TopicDisallowed"}"#)
                )
                try await world.commands.device(of: player, alertToken: alert)
            }
            let open = "rangers_apns_route_stopped{environment=\"simulator\",topic="
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the breaker") { await world.registry.text().contains("\(open)\"alerts\"} 1") }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the activity's end") { world.apns.pushes(to: token).last?.event == "end" }
                #expect(await world.registry.text().contains("\(open)\"liveActivities\"} 0"))
            }
        }
    }

    @Test func `two nodes send an alert once, and a later one does not bring an earlier one back`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let alert = newToken()
            try await world.commands.device(of: players[1], alertToken: alert)
            let (first, second) = (world.fallbackSender(), world.fallbackSender())
            async let one: Void = first.alertStart(of: stored)
            async let other: Void = second.alertStart(of: stored)
            _ = await (one, other)
            #expect(world.apns.alerts(to: alert).count == 1)
            let device = try #require(try await world.store.alertableDevices(of: players).first)
            #expect(device.sentAlerts.map(\.sequence) == [1])
            #expect(
                world.logs.lines("no alert was sent").map { $0.metadata["reason"] } == [
                    "this alert or a later one was sent already"
                ]
            )
            // Another claim in between.
            #expect(try await !world.store.claimAlert([], for: Device(copying: device, version: device.version - 1)))
        }
    }

    @Test(arguments: [
        (AlertPreferences(muted: [.boss]), 6, "muted by the player"),
        (AlertPreferences(quietHours: .init(from: 0, to: 1_439, timeZone: "UTC")), 6, "muted by the player"),
        (AlertPreferences(), 0, "the budget of this hour is spent, or the rest is left to weightier alerts"),
    ])
    func `a muted device, and one whose budget is spent, gets no alert`(
        preferences: AlertPreferences,
        budget: Int,
        reason: String
    ) async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let alert = newToken()
            try await world.commands.device(of: players[1], alertToken: alert, alertPreferences: preferences)
            var policy = CadencePolicy()
            policy.fallbackHourlyBudget = budget
            await world.fallbackSender(policy: policy).alertStart(of: stored)
            #expect(world.apns.alerts(to: alert).isEmpty)
            #expect(world.logs.lines("no alert was sent").map { $0.metadata["reason"] } == ["\(reason)"])
        }
    }

    @Test func `a device on which an activity was just started gets no alert, and a dead token is forgotten`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (_, _, players) = try await world.fight()
            let (start, alert, dead) = (newToken(), newToken(), newToken())
            try await world.commands.device(of: players[0], pushToStartToken: start, alertToken: alert)
            try await world.commands.device(of: players[1], alertToken: dead)
            world.apns.respond(to: dead, with: Self.gone)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the removal of the token") {
                    try await world.store.alertableDevices(of: [players[1]]).isEmpty
                }
            }
            #expect(world.apns.pushes(to: start).map(\.event) == ["start"])
            #expect(world.apns.alerts(to: alert).isEmpty && world.apns.alerts(to: dead).count == 1)
        }
    }
}

extension DispatchWorld {
    fileprivate func isMarked(_ stored: StoredAdventure) async throws -> Bool {
        try await !store.liveAdventures(of: [stored.id.shard], markedAfter: stored.startedAt).isEmpty
    }

    /// Creates a sender of ordinary alerts without a dispatcher.
    func fallbackSender(policy: CadencePolicy = CadencePolicy()) -> FallbackSender {
        FallbackSender(
            store: store,
            clients: clients,
            breakers: breakers,
            settings: settings(policy: policy),
            runtime: runtime,
            metrics: metrics,
            logger: logs.logger
        )
    }
}

extension Device {
    /// Copies what a claim needs, with another version.
    fileprivate init(copying device: Device, version: Int64) {
        self.init(
            id: device.id,
            playerID: device.playerID,
            environment: device.environment,
            liveActivitiesEnabled: device.liveActivitiesEnabled,
            frequentPushesEnabled: device.frequentPushesEnabled,
            registeredAt: device.registeredAt,
            updatedAt: device.updatedAt,
            version: version
        )
    }
}
