import Foundation
import GameCore
import LiveActivityContent
import Testing

@testable import SimulatedPlayers

@Suite struct PlayerMindTests {
    private struct Hero {
        var health: Int
        var potions: Int
    }

    private func adventure(_ heroes: [Hero], isWindingUp: Bool = false) throws -> AdventureAnswer {
        let list = heroes.enumerated().map { seat, hero in
            """
            {"seat":\(seat),"playerID":"\(UUID())","hero":"spouty","level":1,"health":\(hero.health),
            "maximumHealth":100,"potions":\(hero.potions),"isDown":\(hero.health == 0)}
            """
        }
        let json = """
            {"adventureID":"\(UUID())","kind":"bossFight","status":"running","tick":1,"sequence":9,
            "boss":{"id":"glitch","health":9,"maximumHealth":10,"isWindingUp":\(isWindingUp)},
            "heroes":[\(list.joined(separator: ","))]}
            """
        return try JSONDecoder().decode(AdventureAnswer.self, from: Data(json.utf8))
    }

    private func shown(_ levels: [Double], own: Int) -> AdventureAttributes.ContentState {
        .init(
            heroes: levels.map { .init(avatar: "🐳", name: "Spouty", healthLevel: $0, isDown: $0 == 0) },
            boss: nil,
            turn: nil,
            event: LocalizableText(key: "The party sets out."),
            tick: 1,
            sequence: 9,
            outcome: nil,
            currentHealthLevel: levels[own]
        )
    }

    @Test func `who is low and sees it drinks a potion`() throws {
        let adventure = try adventure([.init(health: 20, potions: 1), .init(health: 100, potions: 2)])
        let mine = adventure.heroes[0]
        #expect(PlayerMind.aid(from: mine, in: adventure, seeing: shown([0.2, 1], own: 0)) == .potion(target: nil))
        #expect(PlayerMind.aid(from: mine, in: adventure, seeing: shown([0.9, 1], own: 0)) == nil)
    }

    @Test func `one companion helps who is down, the one with most potions`() throws {
        let adventure = try adventure(
            [.init(health: 90, potions: 1), .init(health: 0, potions: 3), .init(health: 90, potions: 2)]
        )
        let seen = shown([0.9, 0, 0.9], own: 0)
        let choices = adventure.heroes.map { PlayerMind.aid(from: $0, in: adventure, seeing: seen) }
        #expect(choices == [nil, nil, .potion(target: Seat(rawValue: 1))])
    }

    @Test func `of companions with as many potions the first helps`() throws {
        let adventure = try adventure(
            [.init(health: 90, potions: 2), .init(health: 0, potions: 0), .init(health: 90, potions: 2)]
        )
        let seen = shown([0.9, 0, 0.9], own: 0)
        let choices = adventure.heroes.map { PlayerMind.aid(from: $0, in: adventure, seeing: seen) }
        #expect(choices == [.potion(target: Seat(rawValue: 1)), nil, nil])
    }

    @Test func `who is not told of a companion's fall does nothing`() throws {
        let adventure = try adventure([.init(health: 90, potions: 1), .init(health: 0, potions: 0)])
        #expect(PlayerMind.aid(from: adventure.heroes[0], in: adventure, seeing: shown([0.9, 0.1], own: 0)) == nil)
    }

    @Test func `a turn goes to the most hurt, to the guard, or to the attack`() throws {
        var adventure = try adventure([.init(health: 90, potions: 1), .init(health: 10, potions: 0)])
        #expect(PlayerMind.turn(of: adventure.heroes[0], in: adventure) == .potion(target: Seat(rawValue: 1)))
        #expect(PlayerMind.turn(of: adventure.heroes[1], in: adventure) == .attack)
        adventure = try self.adventure([.init(health: 90, potions: 1)], isWindingUp: true)
        #expect(PlayerMind.turn(of: adventure.heroes[0], in: adventure) == .guardUp)
    }
}
