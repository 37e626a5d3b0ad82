import APNsClient
import GameCore
import GameEngine
import GameStore
import GameTestSupport
import PushCadence
import PushRules
import TestSupport
import Testing

@testable import PushDispatcher

/// Which push is told to an operator who has asked for one.
@Suite struct AskedPushAnswerTests {
    /// Its answer would be told as that of the push that was asked for.
    @Test func `an alert that was due anyway is not the push that an operator asked for`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let id = newActivity()
            try await world.register(newToken(), as: id, of: players[0], for: stored)
            let (pushes, outgoing) = AsyncStream.makeStream(of: OutgoingPush.self)
            let loop = world.loop(sending: outgoing)
            func sent() async throws -> OutgoingPush {
                try await eventually("a push") {
                    // Nothing else does, and a slow machine may take longer than a lease lasts.
                    _ = await loop.renewLeases()
                    await loop.round()
                    return await loop.underWayCount == 1
                }
                try #require(await loop.underWayCount == 1)
                let push = try #require(await pushes.first { _ in true })
                await loop.answers.put(PushAnswer(push, .accepted(apnsID: push.request.id, uniqueID: nil)))
                return push
            }
            #expect(try await sent().planned.reason == .newToken)
            let position = try await world.commands.push(.update, to: id, by: .test)
            _ = try await world.commands.end(stored.id, by: .test)
            let alert = try await sent()
            #expect(alert.planned.reason == .alert(.adventureOver) && alert.askedAt == nil)
            // Nothing follows it: an operator hears how it went.
            let end = try await sent()
            #expect(end.planned.reason == .end(.adventureOver) && end.askedAt == position)
        }
    }
}
