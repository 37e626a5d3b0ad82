import Foundation
import Testing

@testable import GameCore

/// The encoding of heroes; every decoded hero can be played.
struct HeroTests {
    private static let good =
        #"{"experience":322,"id":"hoot","playerID":"00000000-0000-7000-8000-000000000002","potions":1}"#

    private func hero(_ text: String) throws -> Hero { try JSONDecoder().decode(Hero.self, from: Data(text.utf8)) }

    @Test func `a hero survives encoding and decoding`() throws {
        let hero = try hero(Self.good)
        #expect(hero == Hero(playerID: GameWorld.player(2), id: "hoot", experience: 322, potions: 1))
        #expect(hero.level == 3)
        #expect(try SortedJSON.text(of: hero) == Self.good)
    }

    @Test(arguments: [0, 999_999_999]) func `experience and potions range from zero to the largest stored number`(
        count: Int
    ) throws {
        let text = Self.good.replacing("322", with: "\(count)")
            .replacing(#""potions":1"#, with: #""potions":\#(count)"#)
        let hero = try hero(text)
        #expect(hero.experience == count && hero.potions == count)
        let journey = try GameWorld.journey([hero])
        #expect(try Adventure(encoded: journey.encoded) == journey)
    }

    @Test(arguments: [
        (#""hoot""#, #""nobody""#, "the catalogue has no hero 'nobody'"),
        (#""hoot""#, #""""#, "the catalogue has no hero ''"),
        (#""experience":322"#, #""experience":-1"#, "experience -1"),
        (#""experience":322"#, #""experience":1000000000"#, "experience 1000000000"),
        (#""experience":322,"#, "", ""),
        (#""potions":1"#, #""potions":-1"#, "-1 potions"),
        (#""potions":1"#, #""potions":1000000000"#, "1000000000 potions"),
        (#","potions":1"#, "", ""),
        (#""potions":1"#, #""potions":"1""#, ""),
        ("-7000-", "-700g-", "'00000000-0000-700g-8000-000000000002' is not a UUID"),
    ])
    func `a damaged hero is rejected`(part: String, other: String, reason: String) {
        #expect(Self.good.contains(part))
        let error = #expect(throws: DecodingError.self) { try hero(Self.good.replacing(part, with: other)) }
        // The decoder's own errors report missing fields and wrong types.
        guard case .dataCorrupted(let context) = error else {
            #expect(reason.isEmpty, "\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == reason)
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
