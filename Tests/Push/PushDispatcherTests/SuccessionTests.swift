import GameCore
import GameLog
import GameStore
import LiveActivityContent
import PushCadence
import TestSupport
import Testing

/// The succession of an activity that ends soon by a newer one.
@Suite struct SuccessionTests {
    private static let warning = "This card ends soon: phones keep one for eight hours."

    @Test func `an activity that ends soon is succeeded by a newer one, and ends once that has registered`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (start, old, oldToken) = (newToken(), newActivity(), newToken())
            let (new, newerToken) = (newActivity(), newToken())
            try await world.storePushToStartToken(start, of: players[0])
            try await world.register(oldToken, as: old, of: players[0], for: stored)
            try await world.age(old, of: stored, bySeconds: 8 * 3_600 - 1_000)
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                #expect(try await world.activity(old, of: stored).state == .live)
                try await world.register(newerToken, as: new, of: players[0], for: stored)
                try await eventually("the end of the old activity") {
                    try await world.activity(old, of: stored).state == .ended
                }
                try await eventually("the state of the new activity") { !world.apns.pushes(to: newerToken).isEmpty }
            }
            #expect(world.apns.pushes(to: start).map(\.attributes?.adventureID) == ["\(stored.id)"])
            #expect(world.apns.pushes(to: start).map(\.alertKey) == ["The adventure goes on."])
            #expect(world.apns.pushes(to: oldToken).contains { $0.eventKey == Self.warning })
            let end = try #require(world.apns.pushes(to: oldToken).last)
            #expect(end.event == "end" && end.outcome == nil)
            #expect(
                world.apns.pushes(to: newerToken).allSatisfy { $0.event == "update" && $0.eventKey != Self.warning }
            )
            #expect(try await world.activity(new, of: stored).state == .live)
        }
    }

    @Test func `neither a companion's activity nor an older one of the player ends an activity that ends soon`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (old, oldToken, older) = (newActivity(), newToken(), newActivity())
            try await world.register(oldToken, as: old, of: players[0], for: stored)
            try await world.register(newToken(), as: older, of: players[0], for: stored)
            try await world.age(old, of: stored, bySeconds: 8 * 3_600 - 1_000)
            try await world.age(older, of: stored, bySeconds: 8 * 3_600 - 900)
            let (rotated, companion) = (newToken(), newToken())
            try await world.dispatching(policy: .withoutGracePeriod) {
                try await eventually("the warning") {
                    world.apns.pushes(to: oldToken).last?.eventKey == Self.warning
                }
                try await world.register(companion, as: newActivity(), of: players[1], for: stored)
                try await world.register(rotated, as: old, of: players[0], for: stored)
                try await eventually("both states") {
                    !world.apns.pushes(to: companion).isEmpty && !world.apns.pushes(to: rotated).isEmpty
                }
            }
            #expect(try await world.activity(old, of: stored).state == .live)
            #expect(try await world.activity(older, of: stored).state == .live)
        }
    }
}
