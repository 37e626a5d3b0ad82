import APNsClient
import GameCore
import GameStore
import PushCadence
import TestSupport
import Testing

@testable import PushDispatcher

/// What is wrong with the way to APNs is not taken for a fault of every phone.
@Suite struct RouteTests {
    private static let wrongTopic = RecordingAPNs.Answering.refuse(
        status: 400,
        body: #"{"reason":"DeviceTokenNotForTopic"}"#
    )

    /// Phones with tokens that APNs refuses, three unless told.
    private func refusedPhones(
        _ count: Int = 3,
        of stored: StoredAdventure,
        _ player: PlayerID,
        in world: DispatchWorld
    ) async throws -> [(id: ActivityID, token: [UInt8])] {
        let phones = (0..<count).map { _ in (id: newActivity(), token: newToken()) }
        for phone in phones {
            world.apns.answer(phone.token, with: Self.wrongTopic)
            try await world.register(phone.token, as: phone.id, of: player, for: stored)
        }
        return phones
    }

    @Test func `a wrong topic costs no phone its token, stops the route, and is told; mended, pushes go on`()
        async throws
    {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 3
        limits.firstProbeDelay = .milliseconds(50)
        limits.maxProbeDelay = .milliseconds(100)
        try await DispatchWorld.with { [limits] world in
            let (stored, _, players) = try await world.fight()
            let phones = try await refusedPhones(of: stored, players[0], in: world)
            try await world.dispatching(routeLimits: limits) {
                try await eventually("the operator is told") {
                    let told = world.logs.lines("APNs refuses everything, and gets no more than a probe now and then")
                    return told.map(\.metadata["reason"]) == ["DeviceTokenNotForTopic"]
                }
                try await eventually("a phone says why it waits") {
                    try await world.decisions(for: phones[0].id, of: stored).last?.why
                        == "APNs refuses all pushes from here, until an operator mends that"
                }
                for phone in phones { world.apns.answer(phone.token, with: .accept) }
                for phone in phones {
                    try await eventually("its state") {
                        try await world.decisions(for: phone.id, of: stored).contains { $0.answer == .accepted }
                    }
                }
                #expect(world.logs.lines("APNs takes pushes again").count == 1)
            }
            for phone in phones {
                #expect(try await world.activity(phone.id, of: stored).state == .live)
            }
        }
    }

    @Test func `a token that is bad on a route that works is forgotten`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (good, goodToken) = (newActivity(), newToken())
            let (bad, badToken) = (newActivity(), newToken())
            world.apns.answer(badToken, with: .refuse(status: 400, body: #"{"reason":"BadDeviceToken"}"#))
            try await world.register(goodToken, as: good, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("a push that is taken") {
                    try await world.decisions(for: good, of: stored).contains { $0.answer == .accepted }
                }
                try await world.register(badToken, as: bad, of: players[1], for: stored)
                try await eventually("the row says so") { try await world.activity(bad, of: stored).state == .dead }
            }
            #expect(world.apns.pushes(to: badToken).count == 1)
        }
    }

    @Test func `whoever registers tokens that are none stops nobody's pushes`() async throws {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 3
        try await DispatchWorld.with { [limits] world in
            let (stored, _, players) = try await world.fight()
            let (good, goodToken) = (newActivity(), newToken())
            try await world.register(goodToken, as: good, of: players[0], for: stored)
            try await world.dispatching(routeLimits: limits) {
                try await eventually("a push that is taken") {
                    try await world.decisions(for: good, of: stored).contains { $0.answer == .accepted }
                }
                let bad = try await refusedPhones(7, of: stored, players[1], in: world)
                // Three are believed, and the others are tried again and again.
                try await eventually("the operator is told") {
                    world.logs.lines(
                        "APNs refuses many tokens that it has never taken a push to, and has taken none in between"
                    ).count == 1
                }
                let (late, lateToken) = (newActivity(), newToken())
                try await world.register(lateToken, as: late, of: players[0], for: stored)
                try await eventually("a push to somebody else") {
                    try await world.decisions(for: late, of: stored).contains { $0.answer == .accepted }
                }
                var dead = 0
                for phone in bad where try await world.activity(phone.id, of: stored).state == .dead { dead += 1 }
                #expect(dead < bad.count)
                #expect(world.logs.lines("APNs refuses everything, and gets no more than a probe now and then").isEmpty)
            }
        }
    }

    @Test func `nor on a node that takes over: it knows whose tokens were taken`() async throws {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 3
        try await DispatchWorld.with { [limits] world in
            let (stored, _, players) = try await world.fight()
            let good = newActivity()
            try await world.register(newToken(), as: good, of: players[0], for: stored)
            try await world.dispatching(routeLimits: limits) {
                try await eventually("a push that is taken") {
                    try await world.decisions(for: good, of: stored).contains { $0.answer == .accepted }
                }
            }
            let bad = try await refusedPhones(7, of: stored, players[1], in: world)
            try await world.dispatching(routeLimits: limits) {
                try await eventually("the operator is told") {
                    world.logs.lines(
                        "APNs refuses many tokens that it has never taken a push to, and has taken none in between"
                    ).count == 1
                }
            }
            #expect(world.logs.lines("APNs refuses everything, and gets no more than a probe now and then").isEmpty)
            for phone in bad { #expect(try await world.activity(phone.id, of: stored).state == .live) }
        }
    }

    @Test func `of the starts on a route that is stopped one is the probe, and the others are not claimed`()
        async throws
    {
        var limits = CircuitBreaker.Limits()
        limits.rejectedTokens = 1
        limits.firstProbeDelay = .seconds(60)
        try await DispatchWorld.with { [limits] world in
            let (stored, _, players) = try await world.fight()
            let tokens = players.map { _ in newToken() }
            for (player, token) in zip(players, tokens) {
                world.apns.answer(token, with: .never)
                try await world.keepPushToStart(token, of: player)
            }
            let starter = world.starter(over: RouteBoard(of: world.clients, limits: limits, logger: world.logs.logger))
            _ = starter.routes.judge(
                .rejected(APNsRejection(status: 400, reason: .badDeviceToken)),
                for: try #require(DeviceToken(bytes: newToken())),
                .unknown,
                in: .simulator,
                at: .now - .seconds(61)
            )
            await starter.grant(
                CardWish(adventureID: stored.id, occasion: .adventureStarted, wantedAt: stored.startedAt)
            )
            #expect(tokens.flatMap { world.apns.pushes(to: $0) }.count == 1)
            #expect(try await world.store.pushToStartRecords(of: players).filter { !$0.starts.isEmpty }.count == 1)
        }
    }

    @Test func `a wrong topic costs no player the push-to-start token`() async throws {
        try await DispatchWorld.with { world in
            let token = newToken()
            world.apns.answer(token, with: Self.wrongTopic)
            let (stored, _, players) = try await world.fight()
            try await world.keepPushToStart(token, of: players[0])
            await world.starter.grant(
                CardWish(adventureID: stored.id, occasion: .adventureStarted, wantedAt: stored.startedAt)
            )
            #expect(world.apns.pushes(to: token).count == 1)
            #expect(try await world.store.pushToStartRecords(of: [players[0]]).map(\.pushToken) == [token])
        }
    }
}
