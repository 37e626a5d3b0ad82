import Testing

@testable import GameCore

/// The course of a fight: how it begins, how turns are used up, how it ends.
struct BossFightTests {
    /// Speed 14, then the boss Glitch with 6, then speed 3.
    private let zippyAndBoulder = GameWorld.heroes("zippy", "boulder")
    private let zippy = GameWorld.player(0)
    private let boulder = GameWorld.player(1)

    @Test func `it begins with the boss and the turn of the fastest`() throws {
        var fight = Adventure.bossFight(against: "glitch", heroes: zippyAndBoulder, seed: 1)
        #expect(fight.kind == .bossFight)
        #expect(fight.turn == nil)
        #expect(fight.region == nil && fight.place == nil && fight.progress == nil && fight.foe == nil)
        #expect(
            try fight.advance(.start) == [
                .adventureStarted(kind: .bossFight), .bossAppeared(boss: "glitch"),
                .turnStarted(turn: 1, hero: .first),
            ]
        )
        #expect(fight.tick == 0)
        #expect(fight.boss?.id == "glitch")
        #expect(fight.boss?.healthLevel == 1 && fight.boss?.phase == 1)
        #expect(fight.rules == Adventure.currentRules)
    }

    @Test func `a strike is the attack, give or take a fifth, or one and three quarters of it, or nothing`() throws {
        // Glitch takes a fifth off blows of air.
        let fight = try GameWorld.fight(zippyAndBoulder)
        var actions: [HeroAction: Int] = [:]
        for (after, events) in try GameWorld.outcomes(of: .command(.attack, by: zippy), in: fight) {
            guard case .actionTaken(.first, let action, let damage) = events.first else {
                Issue.record("no strike but \(events)")
                return
            }
            switch action {
            case .attack, .critical: #expect(damage > 0 && GameWorld.isBlow(damage, by: "zippy", percent: 80))
            case .miss: #expect(damage == 0)
            case .guardUp, .special, .potion, .revive, .pass, .fleeRefused: Issue.record("a strike was \(action)")
            }
            actions[action, default: 0] += 1
            #expect(after.boss?.health == (fight.boss?.health ?? 0) - damage)
            #expect(events.dropFirst() == [.turnStarted(turn: 2, hero: nil)])
        }
        // 16 and 7 of a hundred; four standard deviations at 200 strikes are 10 and 7 of a hundred.
        #expect((12...52).contains(actions[.critical] ?? 0), "\(actions)")
        #expect((1...28).contains(actions[.miss] ?? 0), "\(actions)")
    }

    @Test(arguments: BossCatalogue.all) func `a boss feels what it resists less and what it fears more`(
        boss: BossCatalogue.Entry
    ) throws {
        func damage(of element: Element) throws -> Int {
            let hero = try #require(HeroCatalogue.all.first { $0.element == element })
            let opening = try GameWorld.fight(against: boss.id, GameWorld.heroes(hero.id))
            var fight = opening
            fight.giveTurn(to: .first)
            let blows = try GameWorld.outcomes(of: .command(.attack, by: zippy), in: fight).compactMap {
                if case .actionTaken(_, .attack, let damage) = $0.events.first { damage } else { nil }
            }
            // In percent of the hero's own strength.
            return blows.reduce(0, +) * 100 / (blows.count * hero.attack)
        }
        for element in Element.allCases {
            let felt = try damage(of: element)
            switch element {
            case boss.resists: #expect((72...82).contains(felt), "\(element) \(felt)")
            case boss.fears: #expect((110...122).contains(felt), "\(element) \(felt)")
            case .earth, .water, .fire, .air, .light: #expect((91...102).contains(felt), "\(element) \(felt)")
            }
        }
    }

    @Test(arguments: [
        (Command.guardUp, HeroAction.guardUp), (.pass, .pass), (.flee, .fleeRefused),
    ])
    func `guarding, passing and fleeing spend the turn and hurt nobody`(command: Command, action: HeroAction) throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        let before = fight
        #expect(
            try fight.advance(.command(command, by: zippy)) == [
                .actionTaken(hero: .first, action: action, damage: 0), .turnStarted(turn: 2, hero: nil),
            ]
        )
        #expect(fight.boss == before.boss)
        #expect(fight.generator == before.generator)
        #expect(fight.tick == before.tick + 1)
        #expect(fight.heroes[0].isGuarding == (command == .guardUp))
    }

    @Test func `a potion in turn heals or gets up`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        fight.heroes[1].health = 0
        #expect(
            try fight.advance(.command(.potion(target: .second), by: zippy)) == [
                .actionTaken(hero: .first, action: .potion, damage: 0), .heroRevived(hero: .second, helper: .first),
                .heroHealed(hero: .second, amount: 46, source: .potion), .turnStarted(turn: 2, hero: nil),
            ]
        )
        #expect(fight.heroes[0].potions == 1 && fight.heroes[1].potions == 2)

        fight.giveTurn(to: .first)
        fight.heroes[0].health -= 3
        #expect(
            try fight.advance(.command(.potion(target: nil), by: zippy)).prefix(2) == [
                .actionTaken(hero: .first, action: .potion, damage: 0),
                .heroHealed(hero: .first, amount: 3, source: .potion),
            ]
        )
        #expect(fight.heroes[0].potions == 0)
    }

    @Test func `a hand gets a companion up with a fifth of its health, and costs no potion`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        fight.heroes[1].health = 0
        #expect(
            try fight.advance(.command(.revive(target: .second), by: zippy)) == [
                .actionTaken(hero: .first, action: .revive, damage: 0), .heroRevived(hero: .second, helper: .first),
                .heroHealed(hero: .second, amount: 26, source: .revival), .turnStarted(turn: 2, hero: nil),
            ]
        )
        #expect(fight.heroes.map(\.potions) == [2, 2])
        #expect(fight.heroes[1].health == 26)
    }

    @Test func `the last strike ends the fight, and all learn from it, also who is down or has left`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder", "inky"))
        fight.heroes[1].health = 0
        _ = try fight.advance(.leave(GameWorld.player(2)))
        fight.changeFight { $0.boss.health = 1 }
        let strikes = try GameWorld.outcomes(of: .command(.attack, by: zippy), in: fight)
        let hit = try #require(strikes.first { $0.adventure.status != .running })
        #expect(
            hit.events.dropFirst() == [
                .bossDefeated(boss: "glitch"), .heroLevelledUp(hero: .first, level: 2),
                .heroLevelledUp(hero: .second, level: 2), .heroLevelledUp(hero: .third, level: 2),
                .adventureEnded(outcome: .bossDefeated),
            ]
        )
        if case .actionTaken(_, _, let damage) = hit.events.first {
            #expect(damage == 1, "no more than the boss has left")
        }
        #expect(hit.adventure.outcome == .bossDefeated)
        #expect(hit.adventure.boss?.health == 0)
        #expect(hit.adventure.turn == nil)
        #expect(hit.adventure.heroes.map(\.experience) == [120, 120, 120])
    }

    @Test func `the fight is lost when nobody stands`() throws {
        var fight = try GameWorld.fight(against: "cinderwing", GameWorld.heroes("boulder"))
        fight.heroes[0].health = 1
        fight.giveTurn(to: nil)
        let turns = try GameWorld.outcomes(of: .tick, in: fight)
        let lost = try #require(turns.first { $0.events.first == .bossActed(move: .attack) })
        #expect(
            lost.events.dropFirst() == [
                .heroHurt(hero: .first, amount: 1, cause: .bossAttack), .heroDown(hero: .first), .partyWiped,
                .adventureEnded(outcome: .partyWiped),
            ]
        )
        #expect(lost.adventure.turn == nil)
    }

    @Test func `a fight that nobody wins ends with its last turn`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        var events: [Event] = []
        while let turn = fight.turn {
            for seat in fight.heroes.indices { fight.heroes[seat].health = fight.heroes[seat].maximumHealth }
            events =
                if let hero = turn.hero {
                    try fight.advance(.command(.pass, by: fight.heroes[hero].playerID))
                } else {
                    try fight.advance(.tick)
                }
        }
        #expect(fight.tick == Adventure.mostTurns)
        #expect(events.last == .adventureEnded(outcome: .expired))
        #expect(fight.outcome == .expired)
    }

    @Test func `a fight that is stored beyond its last turn ends with the next one`() throws {
        let text = GoldenState.announced.replacing("turn 6", with: "turn \(Adventure.mostTurns + 7)")
        var fight = try Adventure(encoded: text)
        #expect(try fight.advance(.tick).last == .adventureEnded(outcome: .expired))
    }

    @Test func `a boss grows with the party's size and levels`() {
        func boss(facing count: Int, level: Int) -> BossInPlay {
            BossInPlay("glitch", facing: (0..<count).map { HeroInPlay(GameWorld.hero($0, level: level)) })
        }
        let one = boss(facing: 1, level: 1)
        let four = boss(facing: 4, level: 1)
        #expect(one.maximumHealth == BossCatalogue["glitch"]?.healthPerHero)
        #expect(four.maximumHealth == 4 * one.maximumHealth)
        #expect(four.attack > one.attack && four.attackOnAll > one.attackOnAll)
        #expect(BossCatalogue["glitch"]?.attack == four.attack)
        let strong = boss(facing: 4, level: 11)
        #expect(strong.maximumHealth == four.maximumHealth * 160 / 100)
        #expect(abs(strong.attack * 100 - four.attack * 160) <= 100, "but for rounding")
    }
}
