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

/// The push whose outcome is reported for an operator's request.
@Suite struct RequestedPushReportTests {
    @Test func `an alert that was due anyway is not reported as the requested push`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let id = newActivity()
            try await world.register(newToken(), as: id, of: players[0], for: stored)
            let (pushes, outgoing) = AsyncStream.makeStream(of: OutgoingPush.self)
            let loop = world.loop(sending: outgoing)
            func sent() async throws -> OutgoingPush {
                try await eventually("a push") {
                    // No other task renews leases, and a slow machine may take longer than a lease lasts.
                    _ = await loop.renewLeases()
                    await loop.runPollCycle()
                    return await loop.inFlightCount == 1
                }
                try #require(await loop.inFlightCount == 1)
                let push = try #require(await pushes.first { _ in true })
                await loop.completedPushes.put(CompletedPush(push, .accepted(apnsID: push.request.id, uniqueID: nil)))
                return push
            }
            #expect(try await sent().planned.reason == .newToken)
            let position = try await world.commands.push(.update, to: id, by: .test)
            _ = try await world.commands.end(stored.id, by: .test)
            let alert = try await sent()
            #expect(alert.planned.reason == .alert(.adventureOver) && alert.requestPosition == nil)
            // No push follows the end, so it is reported for the request.
            let end = try await sent()
            #expect(end.planned.reason == .end(.adventureOver) && end.requestPosition == position)
        }
    }
}
