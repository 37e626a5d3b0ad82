import Testing

@testable import GameCore

/// The order of turns.
struct InitiativeTests {
    private func order(of turns: Int, in fight: Adventure) throws -> [Seat?] {
        var fight = fight
        var order: [Seat?] = []
        for _ in 0..<turns {
            order.append(try #require(fight.turn).hero)
            for seat in fight.heroes.indices where !fight.heroes[seat].isDown {
                fight.heroes[seat].health = fight.heroes[seat].maximumHealth
                fight.heroes[seat].potions = 0
            }
            _ = try fight.advance(.tick)
        }
        return order
    }

    @Test func `heroes and boss take turns by speed, round after round`() throws {
        let fight = try GameWorld.fight(GameWorld.heroes("boulder", "zippy"))
        #expect(try order(of: 6, in: fight) == [.second, nil, .first, .second, nil, .first])
    }

    @Test func `at equal speed heroes act before the boss and lower seats before higher ones`() throws {
        // Cinderwing and Inky have the same speed.
        #expect(HeroCatalogue["inky"]?.speed == BossCatalogue["cinderwing"]?.speed)
        let fight = try GameWorld.fight(against: "cinderwing", GameWorld.heroes("inky", "hoot", "inky"))
        #expect(try order(of: 5, in: fight) == [.second, .first, .third, nil, .second])
    }

    @Test func `a boss that is the fastest fighter begins`() throws {
        let fight = try GameWorld.fight(against: "storm-roc", GameWorld.heroes("zippy", "boulder"))
        #expect(try order(of: 4, in: fight) == [nil, .first, .second, nil])
    }

    @Test(arguments: [[0], [1], [2], [0, 1], [0, 2], [1, 2]]) func `heroes who are down are skipped`(down: [Int]) throws
    {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "ember", "boulder"))
        for seat in down { fight.heroes[seat].health = 0 }
        fight.giveTurn(to: nil)
        // Ember is faster than the boss and Boulder slower, so the round continues with Boulder.
        let others = [2, 0, 1].filter { !down.contains($0) }.map { Seat(rawValue: $0) as Seat? }
        let round = [nil] + others
        #expect(try order(of: 2 * round.count, in: fight) == round + round)
    }

    @Test func `a hero revived before its turn acts in the same round`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "hoot", "boulder"))
        fight.heroes[1].health = 0
        _ = try fight.advance(.command(.potion(target: .second), by: GameWorld.player(0)))
        #expect(fight.turn?.hero == .second)
    }

    @Test func `a command resolves its turn immediately`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "hoot", "boulder"))
        for (number, seat) in [(1, Seat.first), (2, .second)] {
            #expect(fight.turn == Turn(number: number, hero: seat))
            _ = try fight.advance(.command(.pass, by: fight.heroes[seat].playerID))
            #expect(fight.tick == number)
            #expect(fight.refusal(of: .command(.pass, by: fight.heroes[seat].playerID)) == .notYourTurn)
        }
        #expect(fight.turn == Turn(number: 3, hero: nil))
    }

    @Test func `a hero who joins a fight acts by its speed`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder"))
        _ = try fight.advance(.join(GameWorld.hero(2, "leap")))
        _ = try fight.advance(.command(.pass, by: GameWorld.player(0)))
        #expect(fight.turn == Turn(number: 2, hero: .third))
    }
}
