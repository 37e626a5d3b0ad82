import APNsClient
import GameCore
import GameLog
import GameStore
import PushCadence
import PushDispatch
import TestSupport
import Testing

@testable import PushDispatcher

/// Tests of rejections that the configuration causes, and that are not attributed to the tokens.
@Suite struct CircuitBreakingTests {
    private static let wrongTopic = RecordingAPNs.Response.reject(
        status: 400,
        body: #"{"reason":"DeviceTokenNotForTopic"}"#
    )

    /// Registers phones with tokens that APNs rejects.
    private func rejectedPhones(
        _ count: Int = 3,
        of stored: StoredAdventure,
        _ player: PlayerID,
        in world: DispatchWorld
    ) async throws -> [(id: ActivityID, token: [UInt8])] {
        let phones = (0..<count).map { _ in (id: newActivity(), token: newToken()) }
        for phone in phones {
            world.apns.respond(to: phone.token, with: Self.wrongTopic)
            let device = DeviceID(rawValue: phone.id.rawValue)
            try await world.register(phone.token, as: phone.id, of: player, on: device, for: stored)
        }
        return phones
    }

    @Test func `a wrong topic removes no token, opens the breaker and is logged; once it is fixed, pushes go on`()
        async throws
    {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 3
        limits.firstProbeDelay = .milliseconds(50)
        limits.maxProbeDelay = .milliseconds(100)
        try await DispatchWorld.with { [limits] world in
            let (stored, _, players) = try await world.fight()
            let phones = try await rejectedPhones(of: stored, players[0], in: world)
            try await world.dispatching(breakerLimits: limits) {
                try await eventually("the log entry") {
                    let lines = world.logs.lines("APNs rejects all pushes; only a probe is sent now and then")
                    return lines.map(\.metadata["reason"]) == ["DeviceTokenNotForTopic"]
                }
                try await eventually("the reason of the wait") {
                    try await world.decisions(for: phones[0].id, of: stored).last?.reasonText
                        == "APNs rejects all pushes from here until an operator fixes the cause"
                }
                for phone in phones { world.apns.respond(to: phone.token, with: .accept) }
                for phone in phones {
                    try await eventually("its state") {
                        try await world.decisions(for: phone.id, of: stored).contains { $0.result == .accepted }
                    }
                }
                #expect(world.logs.lines("APNs accepts pushes again").count == 1)
            }
            for phone in phones {
                #expect(try await world.activity(phone.id, of: stored).state == .live)
            }
        }
    }

    @Test func `a bad token is dead while APNs accepts other pushes`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (good, goodToken) = (newActivity(), newToken())
            let (bad, badToken) = (newActivity(), newToken())
            world.apns.respond(to: badToken, with: .reject(status: 400, body: #"{"reason":"BadDeviceToken"}"#))
            try await world.register(goodToken, as: good, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("an accepted push") {
                    try await world.decisions(for: good, of: stored).contains { $0.result == .accepted }
                }
                try await world.register(badToken, as: bad, of: players[1], for: stored)
                try await eventually("the row says so") { try await world.activity(bad, of: stored).state == .dead }
            }
            #expect(world.apns.pushes(to: badToken).count == 1)
        }
    }

    @Test func `invalid tokens of one player do not stop the pushes of others`() async throws {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 3
        try await DispatchWorld.with { [limits] world in
            let (stored, players, good, _) = try await world.shownFight()
            try await world.dispatching(breakerLimits: limits) {
                try await eventually("an accepted push") {
                    try await world.decisions(for: good, of: stored).contains { $0.result == .accepted }
                }
                let bad = try await rejectedPhones(7, of: stored, players[1], in: world)
                // Three rejections are credible, and the other tokens are retried.
                try await eventually("the log entry") {
                    world.logs.lines(
                        "APNs rejects many tokens to which it never accepted a push, and has accepted no push in between"
                    ).count == 1
                }
                let (late, lateToken) = (newActivity(), newToken())
                try await world.register(lateToken, as: late, of: players[0], for: stored)
                try await eventually("a push to another player") {
                    try await world.decisions(for: late, of: stored).contains { $0.result == .accepted }
                }
                var dead = 0
                for phone in bad where try await world.activity(phone.id, of: stored).state == .dead { dead += 1 }
                #expect(dead < bad.count)
                #expect(world.logs.lines("APNs rejects all pushes; only a probe is sent now and then").isEmpty)
            }
        }
    }

    @Test func `invalid tokens do not stop the pushes of others on a node that takes over either`() async throws {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 3
        try await DispatchWorld.with { [limits] world in
            let (stored, _, players) = try await world.fight()
            let good = newActivity()
            try await world.register(newToken(), as: good, of: players[0], for: stored)
            try await world.dispatching(breakerLimits: limits) {
                try await eventually("an accepted push") {
                    try await world.decisions(for: good, of: stored).contains { $0.result == .accepted }
                }
            }
            let bad = try await rejectedPhones(7, of: stored, players[1], in: world)
            try await world.dispatching(breakerLimits: limits) {
                try await eventually("the log entry") {
                    world.logs.lines(
                        "APNs rejects many tokens to which it never accepted a push, and has accepted no push in between"
                    ).count == 1
                }
            }
            #expect(world.logs.lines("APNs rejects all pushes; only a probe is sent now and then").isEmpty)
            for phone in bad { #expect(try await world.activity(phone.id, of: stored).state == .live) }
        }
    }

    @Test func `while the breaker is open, one start is the probe, and the others are not claimed`()
        async throws
    {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 1
        limits.firstProbeDelay = .seconds(60)
        try await DispatchWorld.with { [limits] world in
            let (stored, _, players) = try await world.fight()
            let tokens = players.map { _ in newToken() }
            for (player, token) in zip(players, tokens) {
                world.apns.respond(to: token, with: .never)
                try await world.storePushToStartToken(token, of: player)
            }
            let starter = world.starter(
                over: CircuitBreakers(of: world.clients, limits: limits, logger: world.logs.logger)
            )
            _ = starter.breakers.classify(
                PushAnswer(.rejected(APNsRejection(status: 400, reason: .badDeviceToken))),
                for: newToken(),
                .unknown,
                in: .simulator,
                at: .now - .seconds(61)
            )
            await starter.process(
                StartRequest(adventureID: stored.id, occasion: .adventureStarted, requestedAt: stored.startedAt)
            )
            #expect(tokens.flatMap { world.apns.pushes(to: $0) }.count == 1)
            #expect(try await world.store.startableDevices(of: players).filter { !$0.starts.isEmpty }.count == 1)
        }
    }

    @Test func `a wrong topic removes no push-to-start token`() async throws {
        try await DispatchWorld.with { world in
            let token = newToken()
            world.apns.respond(to: token, with: Self.wrongTopic)
            let (stored, _, players) = try await world.fight()
            try await world.storePushToStartToken(token, of: players[0])
            await world.starter.process(
                StartRequest(adventureID: stored.id, occasion: .adventureStarted, requestedAt: stored.startedAt)
            )
            #expect(world.apns.pushes(to: token).count == 1)
            #expect(try await world.store.startableDevices(of: [players[0]]).map(\.pushToStartToken) == [token])
        }
    }
}
