import Testing

@testable import GameCore

/// Joining and leaving adventures.
struct MemberTests {
    @Test(arguments: AdventureKind.allCases) func `an operator can end a running adventure`(
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
        let events = try adventure.advance(.join(GameWorld.hero(7, "zippy")))
        #expect(events.first == .memberJoined(hero: .third) && events.count == (kind == .bossFight ? 2 : 1))
        #expect(adventure.heroes.count == 3)
        #expect(adventure.heroes[2].playerID == GameWorld.player(7))
        #expect(adventure.heroes[2].id == "zippy")
        #expect(adventure.heroes[2].healthLevel == 1)
    }

    @Test func `a returning player takes the old seat with the hero unchanged`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 2))
        journey.heroes[0].health = 7
        let before = journey.heroes
        #expect(try journey.advance(.leave(GameWorld.player(0))) == [.memberLeft(hero: .first)])
        #expect(journey.heroes[0].hasLeft)
        #expect(throws: AdventureRefusal.notAMember) { try journey.advance(.leave(GameWorld.player(0))) }
        #expect(try journey.advance(.join(GameWorld.hero(0, "inky"))) == [.memberJoined(hero: .first)])
        #expect(journey.heroes == before)
    }

    @Test(arguments: GameWorld.seeds) func `a hero whose player has left a journey is unaffected by it`(seed: UInt64)
        throws
    {
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

    @Test(arguments: AdventureKind.allCases) func `an adventure is abandoned when its last player leaves`(
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

    @Test func `a journey is lost when the player of the last standing hero leaves`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 2))
        journey.heroes[0].health = 0
        #expect(
            try journey.advance(.leave(GameWorld.player(1)))
                == [.memberLeft(hero: .second), .partyWiped, .adventureEnded(outcome: .partyWiped)]
        )
    }

    @Test func `a hero whose player leaves a fight fights on by its policy`() throws {
        var fight = try GameWorld.fight([GameWorld.hero(0, "zippy"), GameWorld.hero(1, "boulder")])
        #expect(fight.turn == Turn(number: 1, hero: .first))
        _ = try fight.advance(.leave(GameWorld.player(0)))
        #expect(fight.turn == Turn(number: 1, hero: .first))
        #expect(throws: AdventureRefusal.notAMember) { try fight.advance(.command(.attack, by: GameWorld.player(0))) }
        let events = try fight.advance(.tick)
        #expect(events.first?.kind == "actionTaken")
        #expect(fight.boss?.healthLevel ?? 1 < 1)
    }

    @Test func `an adventure without heroes is a programming error`() async {
        await #expect(processExitsWith: .failure) {
            _ = Adventure.journey(in: "meadow", heroes: [], seed: 1)
        }
        await #expect(processExitsWith: .failure) {
            _ = Adventure.bossFight(against: "glitch", heroes: [], seed: 1)
        }
    }
}
