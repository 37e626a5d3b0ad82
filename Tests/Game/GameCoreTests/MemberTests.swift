import Testing

@testable import GameCore

/// Who may take part, and when.
struct MemberTests {
    @Test(arguments: AdventureKind.allCases) func `an operator ends it at any time`(
        kind: AdventureKind
    ) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        _ = try adventure.advance(.start)
        #expect(try adventure.advance(.end) == [.adventureEnded(outcome: .endedByOperator)])
        #expect(adventure.status == .ended(.endedByOperator))
        #expect(adventure.turn == nil)
    }

    @Test(arguments: AdventureKind.allCases) func `a newcomer takes the next seat, unhurt`(
        kind: AdventureKind
    ) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        _ = try adventure.advance(.start)
        let news = try adventure.advance(.join(GameWorld.hero(7, "zippy")))
        #expect(news.first == .memberJoined(hero: .third) && news.count == (kind == .journey ? 1 : 2))
        #expect(adventure.heroes.count == 3)
        #expect(adventure.heroes[2].playerID == GameWorld.player(7))
        #expect(adventure.heroes[2].id == "zippy")
        #expect(adventure.heroes[2].healthLevel == 1)
    }

    @Test func `who comes back takes the old seat, with the hero as it was`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 2))
        journey.heroes[0].health = 7
        let before = journey.heroes
        #expect(try journey.advance(.leave(GameWorld.player(0))) == [.memberLeft(hero: .first)])
        #expect(journey.heroes[0].hasLeft)
        #expect(throws: Refusal.notAMember) { try journey.advance(.leave(GameWorld.player(0))) }
        #expect(try journey.advance(.join(GameWorld.hero(0, "inky"))) == [.memberJoined(hero: .first)])
        #expect(journey.heroes == before)
    }

    @Test(arguments: GameWorld.seeds) func `who has left a journey meets nothing, good or bad`(seed: UInt64) throws {
        var journey = try GameWorld.journey(in: "peaks", GameWorld.party(of: 3), seed: seed)
        journey.heroes[1].health = 50
        _ = try journey.advance(.leave(GameWorld.player(1)))
        let left = journey.heroes[1]
        #expect(
            journey.refusal(of: .command(.potion(target: .second), by: GameWorld.player(0))) == .unknownTarget
        )
        _ = try journey.playOut()
        #expect(journey.heroes[1] == left)
    }

    @Test(arguments: AdventureKind.allCases) func `with the last player the adventure is abandoned`(
        kind: AdventureKind
    ) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        _ = try adventure.advance(.start)
        #expect(try adventure.advance(.leave(GameWorld.player(1))) == [.memberLeft(hero: .second)])
        #expect(
            try adventure.advance(.leave(GameWorld.player(0)))
                == [.memberLeft(hero: .first), .adventureEnded(outcome: .abandoned)]
        )
    }

    @Test func `a journey is lost when the last who stands leaves`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 2))
        journey.heroes[0].health = 0
        #expect(
            try journey.advance(.leave(GameWorld.player(1)))
                == [.memberLeft(hero: .second), .partyWiped, .adventureEnded(outcome: .partyWiped)]
        )
    }

    @Test func `who leaves a fight fights on without commands`() throws {
        var fight = try GameWorld.fight([GameWorld.hero(0, "zippy"), GameWorld.hero(1, "boulder")])
        #expect(fight.turn == Turn(number: 1, hero: .first))
        _ = try fight.advance(.leave(GameWorld.player(0)))
        #expect(fight.turn == Turn(number: 1, hero: .first))
        #expect(throws: Refusal.notAMember) { try fight.advance(.command(.attack, by: GameWorld.player(0))) }
        let events = try fight.advance(.tick)
        #expect(events.first?.kind == "actionTaken")
        #expect(fight.boss?.healthLevel ?? 1 < 1)
    }

    @Test func `an adventure without heroes cannot be made`() async {
        await #expect(processExitsWith: .failure) {
            _ = Adventure.journey(in: "meadow", heroes: [], seed: 1)
        }
        await #expect(processExitsWith: .failure) {
            _ = Adventure.bossFight(against: "glitch", heroes: [], seed: 1)
        }
    }
}
