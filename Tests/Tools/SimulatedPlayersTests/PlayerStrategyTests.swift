import Foundation
import GameCore
import LiveActivityContent
import Testing

@testable import RangersClient
@testable import SimulatedPlayers

@Suite struct PlayerStrategyTests {
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

    @Test func `a player with low health on the phone uses a potion`() {
        let adventure = adventure([.init(health: 20, potions: 1), .init(health: 100, potions: 2)])
        let hero = adventure.heroes[0]
        #expect(PlayerStrategy.aid(from: hero, in: adventure, seeing: shown([0.2, 1], own: 0)) == .potion(target: nil))
        #expect(PlayerStrategy.aid(from: hero, in: adventure, seeing: shown([0.9, 1], own: 0)) == nil)
    }

    @Test func `the companion with the most potions helps a fallen hero`() {
        let adventure = adventure(
            [.init(health: 90, potions: 1), .init(health: 0, potions: 3), .init(health: 90, potions: 2)]
        )
        let state = shown([0.9, 0, 0.9], own: 0)
        let choices = adventure.heroes.map { PlayerStrategy.aid(from: $0, in: adventure, seeing: state) }
        #expect(choices == [nil, nil, .potion(target: Seat(rawValue: 1))])
    }

    @Test func `of companions with equally many potions the first helps`() {
        let adventure = adventure(
            [.init(health: 90, potions: 2), .init(health: 0, potions: 0), .init(health: 90, potions: 2)]
        )
        let state = shown([0.9, 0, 0.9], own: 0)
        let choices = adventure.heroes.map { PlayerStrategy.aid(from: $0, in: adventure, seeing: state) }
        #expect(choices == [.potion(target: Seat(rawValue: 1)), nil, nil])
    }

    @Test func `a player whose phone does not show a fall does nothing`() {
        let adventure = adventure([.init(health: 90, potions: 1), .init(health: 0, potions: 0)])
        #expect(PlayerStrategy.aid(from: adventure.heroes[0], in: adventure, seeing: shown([0.9, 0.1], own: 0)) == nil)
    }

    private func turns(in adventure: AdventureResponse) -> [Command] {
        adventure.heroes.map { PlayerStrategy.turn(of: $0, in: adventure) }
    }

    @Test func `a turn helps the most hurt hero first`() {
        let adventure = adventure(
            [.init(health: 90, potions: 1, readyIn: 0), .init(health: 20, potions: 0), .init(health: 10, potions: 0)],
            announced: .init(move: OpenEnum(.heavyAttack), seat: nil)
        )
        #expect(turns(in: adventure) == [.potion(target: Seat(rawValue: 2)), .guardUp, .guardUp])
    }

    @Test func `a player without a potion revives a fallen hero`() {
        let adventure = adventure(
            [.init(health: 90, potions: 0), .init(health: 90, potions: 1), .init(health: 0, potions: 0)]
        )
        #expect(
            turns(in: adventure).dropLast() == [
                .revive(target: Seat(rawValue: 2)), .potion(target: Seat(rawValue: 2)),
            ]
        )
    }

    @Test func `the targets of an announced attack guard`() {
        let heroes = [Hero(health: 90, potions: 1), Hero(health: 90, potions: 1)]
        #expect(
            turns(in: adventure(heroes, announced: .init(move: OpenEnum(.heavyAttack), seat: nil))) == [
                .guardUp, .guardUp,
            ]
        )
        #expect(
            turns(in: adventure(heroes, announced: .init(move: OpenEnum(.crush), seat: Seat(rawValue: 1)))) == [
                .attack, .guardUp,
            ]
        )
    }

    @Test func `the signature move is used when it is ready, a healer's only for hurt heroes`() {
        let healer = Hero(health: 90, potions: 1, heroClass: .healer, readyIn: 0)
        let striker = Hero(health: 90, potions: 1, heroClass: .striker, readyIn: 0)
        #expect(turns(in: adventure([healer, striker])) == [.attack, .special])
        #expect(turns(in: adventure([healer, .init(health: 50, potions: 1)])) == [.special, .attack])
    }
}
