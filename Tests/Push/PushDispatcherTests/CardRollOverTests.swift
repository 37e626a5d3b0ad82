import GameCore
import GameStore
import LiveActivityContent
import PushCadence
import TestSupport
import Testing

/// A card that gets too old makes way for a new one.
@Suite struct CardRollOverTests {
    private static let warning = "This card ends soon: phones keep one for eight hours."

    @Test func `a card that ends soon is followed by a new one, and ended when that has its token`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (start, old, oldToken) = (newToken(), newActivity(), newToken())
            let (new, newerToken) = (newActivity(), newToken())
            try await world.keepPushToStart(start, of: players[0])
            try await world.register(oldToken, as: old, of: players[0], for: stored)
            try await world.age(old, of: stored, bySeconds: 8 * 3_600 - 1_000)
            try await world.dispatching(policy: .withoutGrace) {
                try await eventually("the start") { !world.apns.pushes(to: start).isEmpty }
                #expect(try await world.activity(old, of: stored).state == .live)
                try await world.register(newerToken, as: new, of: players[0], for: stored)
                try await eventually("the old card's end") {
                    try await world.activity(old, of: stored).state == .ended
                }
                try await eventually("the new card's state") { !world.apns.pushes(to: newerToken).isEmpty }
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

    @Test func `a companion's new card, and one from before, leave a card that ends soon alone`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (old, oldToken, older) = (newActivity(), newToken(), newActivity())
            try await world.register(oldToken, as: old, of: players[0], for: stored)
            try await world.register(newToken(), as: older, of: players[0], for: stored)
            try await world.age(old, of: stored, bySeconds: 8 * 3_600 - 1_000)
            try await world.age(older, of: stored, bySeconds: 8 * 3_600 - 900)
            let (rotated, companion) = (newToken(), newToken())
            try await world.dispatching(policy: .withoutGrace) {
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
