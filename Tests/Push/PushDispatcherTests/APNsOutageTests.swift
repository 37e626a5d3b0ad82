import GameEngine
import GameLog
import GameTestSupport
import TestSupport
import Testing

@testable import PushDispatcher

/// What happens while APNs is away, and when it returns.
@Suite struct APNsOutageTests {
    @Test func `while APNs is away its return is looked for all the time, and then alerts and ends follow, each once`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, id, token) = try await world.shownFight()
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
                await world.server.stop()
                _ = try await world.commands.end(stored.id, by: .test)
                // Neither the connection nor the activity waits longer each time: ten tries would take minutes.
                try await eventually("ten tries") { world.logs.lines("a push was not sent").count >= 10 }
                try world.server.start()
                try await eventually("the end") { try await world.activity(id, of: stored).state == .ended }
            }
            let received = world.apns.pushes(to: token)
            #expect(received.map(\.event) == ["update", "update", "end"])
            #expect(received.map { $0.alertKey != nil } == [false, true, false])
        }
    }
}
