import Foundation
import GameCore
import LiveActivityContent
import Testing

@testable import RangersClient
@testable import SimulatedPlayers

@Suite struct PlayerMindTests {
    private struct Hero {
        var health: Int
        var potions: Int
        var heroClass = HeroClass.trickster
        var readyIn = 3
    }

    private func adventure(
        _ heroes: [Hero],
        announced: AdventureResponse.Boss.Announcement? = nil
    ) -> AdventureResponse {
        AdventureResponse(
            kind: .bossFight,
            heroes: heroes.enumerated().map { seat, hero in
                .init(
                    seat: seat,
                    hero: "spouty",
                    heroClass: hero.heroClass,
                    health: hero.health,
                    maximumHealth: 100,
                    potions: hero.potions,
                    readyIn: hero.readyIn
                )
            },
            boss: .init(id: "glitch", health: 9, maximumHealth: 10, phase: 1, announced: announced),
            sequence: 9
        )
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

    @Test func `who is low and sees it drinks a potion`() {
        let adventure = adventure([.init(health: 20, potions: 1), .init(health: 100, potions: 2)])
        let mine = adventure.heroes[0]
        #expect(PlayerMind.aid(from: mine, in: adventure, seeing: shown([0.2, 1], own: 0)) == .potion(target: nil))
        #expect(PlayerMind.aid(from: mine, in: adventure, seeing: shown([0.9, 1], own: 0)) == nil)
    }

    @Test func `one companion helps who is down, the one with most potions`() {
        let adventure = adventure(
            [.init(health: 90, potions: 1), .init(health: 0, potions: 3), .init(health: 90, potions: 2)]
        )
        let seen = shown([0.9, 0, 0.9], own: 0)
        let choices = adventure.heroes.map { PlayerMind.aid(from: $0, in: adventure, seeing: seen) }
        #expect(choices == [nil, nil, .potion(target: Seat(rawValue: 1))])
    }

    @Test func `of companions with as many potions the first helps`() {
        let adventure = adventure(
            [.init(health: 90, potions: 2), .init(health: 0, potions: 0), .init(health: 90, potions: 2)]
        )
        let seen = shown([0.9, 0, 0.9], own: 0)
        let choices = adventure.heroes.map { PlayerMind.aid(from: $0, in: adventure, seeing: seen) }
        #expect(choices == [.potion(target: Seat(rawValue: 1)), nil, nil])
    }

    @Test func `who is not told of a companion's fall does nothing`() {
        let adventure = adventure([.init(health: 90, potions: 1), .init(health: 0, potions: 0)])
        #expect(PlayerMind.aid(from: adventure.heroes[0], in: adventure, seeing: shown([0.9, 0.1], own: 0)) == nil)
    }

    private func turns(in adventure: AdventureResponse) -> [Command] {
        adventure.heroes.map { PlayerMind.turn(of: $0, in: adventure) }
    }

    @Test func `a turn goes to the most hurt first`() {
        let adventure = adventure(
            [.init(health: 90, potions: 1, readyIn: 0), .init(health: 20, potions: 0), .init(health: 10, potions: 0)],
            announced: .init(move: OpenEnum(.heavyAttack), seat: nil)
        )
        #expect(turns(in: adventure) == [.potion(target: Seat(rawValue: 2)), .guardUp, .guardUp])
    }

    @Test func `who has no potion lends a hand to who is down`() {
        let adventure = adventure(
            [.init(health: 90, potions: 0), .init(health: 90, potions: 1), .init(health: 0, potions: 0)]
        )
        #expect(
            turns(in: adventure).dropLast() == [
                .revive(target: Seat(rawValue: 2)), .potion(target: Seat(rawValue: 2)),
            ]
        )
    }

    @Test func `everybody guards against what is announced for everybody, and one against what is for one`() {
        let heroes = [Hero(health: 90, potions: 1), Hero(health: 90, potions: 1)]
        #expect(
            turns(in: adventure(heroes, announced: .init(move: OpenEnum(.heavyAttack), seat: nil))) == [.guardUp, .guardUp]
        )
        #expect(
            turns(in: adventure(heroes, announced: .init(move: OpenEnum(.crush), seat: Seat(rawValue: 1)))) == [
                .attack, .guardUp,
            ]
        )
    }

    @Test func `the signature move is used when it is ready, a healer's when somebody is hurt`() {
        let healer = Hero(health: 90, potions: 1, heroClass: .healer, readyIn: 0)
        let striker = Hero(health: 90, potions: 1, heroClass: .striker, readyIn: 0)
        #expect(turns(in: adventure([healer, striker])) == [.attack, .special])
        #expect(turns(in: adventure([healer, .init(health: 50, potions: 1)])) == [.special, .attack])
    }
}
