import Testing

@testable import GameCore

/// One recorded log of each kind.
///
/// Stored adventures must replay identically, so a change of the generator, the catalogues or the rules must be
/// deliberate.
struct GoldenTests {
    @Test func `the log of a journey is unchanged`() throws {
        var journey = Adventure.journey(in: "meadow", heroes: GameWorld.heroes("spouty", "boulder"), seed: 2024)
        #expect(try lines(of: journey.advance(.start) + journey.playOut()) == GoldenLog.journey)
    }

    @Test func `the log of a fight is unchanged`() throws {
        let heroes = GameWorld.heroes("glimmer", "boulder", "leap")
        var fight = Adventure.bossFight(against: "cinderwing", heroes: heroes, seed: 2024)
        #expect(try lines(of: fight.advance(.start) + fight.playOut()) == GoldenLog.fight)
    }

    private func lines(of events: [AdventureEvent]) throws -> String {
        try events.map { try SortedJSON.text(of: $0) }.joined(separator: "\n")
    }
}
