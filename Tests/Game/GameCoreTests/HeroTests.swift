import Testing

@testable import GameCore

struct HeroTests {
    @Test func `a hero is an object with its fields`() throws {
        let hero = Hero(playerID: GameWorld.player(2), id: "hoot", experience: 322, potions: 1)
        #expect(hero.level == 3)
        #expect(
            try SortedJSON.text(of: hero)
                == #"{"experience":322,"id":"hoot","playerID":"00000000-0000-7000-8000-000000000002","potions":1}"#
        )
    }

    @Test(arguments: [0, 999_999_999]) func `experience and potions range from zero to the largest stored number`(
        count: Int
    ) throws {
        let hero = Hero(playerID: GameWorld.player(2), id: "hoot", experience: count, potions: count)
        let journey = try GameWorld.journey([hero])
        #expect(try Adventure(encoded: journey.encoded) == journey)
    }

    @Test func `experience is capped at the largest stored number`() throws {
        let hero = Hero(playerID: GameWorld.player(0), id: "hoot", experience: 999_999_990, potions: 0)
        var journey = try GameWorld.journey([hero])
        var events: [AdventureEvent] = []
        journey.gain(60, by: .first, &events)
        #expect(journey.heroes[0].experience == 999_999_999 && events == [])
        #expect(try Adventure(encoded: journey.encoded) == journey)
    }

    @Test func `potions are capped at the largest stored number`() throws {
        var found = 0
        for seed in GameWorld.seeds {
            var journey = try GameWorld.journey([GameWorld.hero(0, potions: 999_999_999)], seed: seed)
            for event in try journey.playOut() {
                if case .lootFound(_, "potion", _) = event { found += 1 }
            }
            #expect(journey.heroes[0].potions == 999_999_999)
            #expect(try Adventure(encoded: journey.encoded) == journey)
        }
        #expect(found > 0)
    }
}
