import Testing

@testable import GameCore

/// One log of each kind, word for word: stored adventures must replay to what they were, so a change of the generator,
/// its mapping, the catalogues or the rules has to be seen here, and be meant.
struct GoldenTests {
    @Test func `the log of a journey is what it was`() throws {
        var journey = try GameWorld.journey(in: "meadow", GameWorld.party(of: 2), seed: 2024)
        #expect(try lines(of: journey.playOut()) == GoldenLog.journey)
    }

    @Test func `the log of a fight is what it was`() throws {
        var fight = try GameWorld.fight(against: "cinderwing", GameWorld.party(of: 2), seed: 2024)
        #expect(try lines(of: fight.playOut()) == GoldenLog.fight)
    }

    private func lines(of events: [Event]) throws -> String {
        try events.map { try JSON.text(of: $0) }.joined(separator: "\n")
    }
}
