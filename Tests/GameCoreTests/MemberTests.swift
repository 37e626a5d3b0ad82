import Testing

@testable import GameCore

/// Who may take part, and when.
struct MemberTests {
    @Test func `an adventure starts once and before anything else`() throws {
        var journey = Adventure.journey(in: "meadow", heroes: GameWorld.party(of: 2), seed: 1)
        let others: [Input] = [
            .tick, .end, .leave(GameWorld.player(0)), .join(GameWorld.hero(5)),
            .command(.pass, by: GameWorld.player(0)),
        ]
        for input in others {
            #expect(throws: Refusal.notStarted) { try journey.advance(input) }
        }
        _ = try journey.advance(.start)
        #expect(throws: Refusal.notStarted) { try journey.advance(.start) }
    }

    @Test(arguments: AdventureKind.allCases) func `an operator ends it at any time, and nothing follows`(
        kind: AdventureKind
    ) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        _ = try adventure.advance(.start)
        #expect(try adventure.advance(.end) == [.adventureEnded(outcome: .endedByOperator)])
        #expect(adventure.status == .ended(.endedByOperator))
        #expect(adventure.turn == nil)
        let ended = adventure
        for input in [.start, .tick, .end, .leave(GameWorld.player(0)), .join(GameWorld.hero(5))] as [Input] {
            #expect(throws: Refusal.adventureOver) { try adventure.advance(input) }
        }
        #expect(adventure == ended)
    }

    @Test(arguments: AdventureKind.allCases) func `a newcomer takes the next seat, unhurt`(
        kind: AdventureKind
    ) throws {
        var adventure = GameWorld.opening(kind, heroes: 2, seed: 4)
        _ = try adventure.advance(.start)
        #expect(try adventure.advance(.join(GameWorld.hero(7, "zippy"))) == [.memberJoined(hero: .third)])
        #expect(adventure.heroes.count == 3)
        #expect(adventure.heroes[2].playerID == GameWorld.player(7))
        #expect(adventure.heroes[2].id == "zippy")
        #expect(adventure.heroes[2].healthLevel == 1)
    }

    @Test func `nobody joins twice, and eight is the limit`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 7))
        #expect(throws: Refusal.alreadyAMember) { try journey.advance(.join(GameWorld.hero(6))) }
        _ = try journey.advance(.join(GameWorld.hero(7)))
        #expect(throws: Refusal.partyFull) { try journey.advance(.join(GameWorld.hero(8))) }
        // A seat is never given away again.
        _ = try journey.advance(.leave(GameWorld.player(3)))
        #expect(throws: Refusal.partyFull) { try journey.advance(.join(GameWorld.hero(8))) }
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

    @Test func `who has left a journey meets nothing and commands nothing`() throws {
        var journey = try GameWorld.journey(in: "peaks", GameWorld.party(of: 3))
        _ = try journey.advance(.leave(GameWorld.player(1)))
        let left = journey.heroes[1]
        #expect(throws: Refusal.notAMember) {
            try journey.advance(.command(.potion(target: nil), by: GameWorld.player(1)))
        }
        #expect(throws: Refusal.unknownTarget) {
            try journey.advance(.command(.potion(target: .second), by: GameWorld.player(0)))
        }
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
