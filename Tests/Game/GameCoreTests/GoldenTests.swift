import Testing

@testable import GameCore

/// One log of each kind, word for word: stored adventures must replay to what they were, so a change of the generator,
/// its mapping, the catalogues or the rules has to be seen here, and be meant.
struct GoldenTests {
    @Test func `the log of a journey is what it was`() throws {
        var journey = Adventure.journey(in: "meadow", heroes: GameWorld.heroes("spouty", "boulder"), seed: 2024)
        #expect(try lines(of: journey.advance(.start) + journey.playOut()) == GoldenLog.journey)
    }

    @Test func `the log of a fight is what it was`() throws {
        let heroes = GameWorld.heroes("glimmer", "boulder", "leap")
        var fight = Adventure.bossFight(against: "cinderwing", heroes: heroes, seed: 2024)
        #expect(try lines(of: fight.advance(.start) + fight.playOut()) == GoldenLog.fight)
    }

    private func lines(of events: [Event]) throws -> String {
        try events.map { try SortedJSON.text(of: $0) }.joined(separator: "\n")
    }
}
