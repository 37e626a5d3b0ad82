import APNsClient
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

/// The push whose outcome is reported for an operator's request.
@Suite struct RequestedPushReportTests {
    @Test func `an alert that was due anyway is not reported as the requested push`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, id, _) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            func sent() async throws -> OutgoingPush {
                let push = try await dispatcher.push()
                dispatcher.accept(push)
                return push
            }
            #expect(try await sent().planned.reason == .newToken)
            let position = try await world.commands.push(.update, to: id, by: .test)
            _ = try await world.commands.end(stored.id, by: .test)
            let alert = try await sent()
            #expect(alert.planned.reason == .alert(.adventureOver) && alert.order.requestPosition == nil)
            // No push follows the end, so it is reported for the request.
            let end = try await sent()
            #expect(end.planned.reason == .end(.adventureOver) && end.order.requestPosition == position)
        }
    }
}
