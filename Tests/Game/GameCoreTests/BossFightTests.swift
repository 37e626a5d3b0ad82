import Testing

@testable import GameCore

/// The course of a fight: its start, its turns and its end.
struct BossFightTests {
    /// Zippy has speed 14, the boss Glitch 6 and Boulder 3.
    private let zippyAndBoulder = GameWorld.heroes("zippy", "boulder")
    private let zippy = GameWorld.player(0)
    private let boulder = GameWorld.player(1)

    @Test func `a fight begins with the boss and the turn of the fastest fighter`() throws {
        var fight = Adventure.bossFight(against: "glitch", heroes: zippyAndBoulder, seed: 1)
        #expect(fight.kind == .bossFight)
        #expect(fight.turn == nil)
        #expect(fight.region == nil && fight.location == nil && fight.progress == nil && fight.foe == nil)
        #expect(
            try fight.advance(.start) == [
                .adventureStarted(kind: .bossFight), .bossAppeared(boss: "glitch"),
                .turnStarted(turn: 1, hero: .first),
            ]
        )
        #expect(fight.tick == 0)
        #expect(fight.boss?.id == "glitch")
        #expect(fight.boss?.healthLevel == 1 && fight.boss?.phase == 1)
        #expect(fight.rules == .current)
    }

    @Test func `a blow deals the attack ±20 %, 175 % of that as a critical hit, or nothing as a miss`() throws {
        // Glitch resists air: 80 %.
        let fight = try GameWorld.fight(zippyAndBoulder)
        var actions: [HeroAction: Int] = [:]
        for (after, events) in try GameWorld.outcomes(of: .command(.attack, by: zippy), in: fight) {
            guard case .actionTaken(.first, let action, let damage) = events.first else {
                Issue.record("expected an action, got \(events)")
                return
            }
            switch action {
            case .attack, .critical: #expect(damage > 0 && GameWorld.isBlow(damage, by: "zippy", percent: 80))
            case .miss: #expect(damage == 0)
            case .guardUp, .special, .potion, .revive, .pass, .fleeRefused: Issue.record("unexpected action \(action)")
            }
            actions[action, default: 0] += 1
            #expect(after.boss?.health == (fight.boss?.health ?? 0) - damage)
            #expect(events.dropFirst() == [.turnStarted(turn: 2, hero: nil)])
        }
        // The rates are 16 % and 7 %; four standard deviations at 200 blows are 10 % and 7 %.
        #expect((12...52).contains(actions[.critical] ?? 0), "\(actions)")
        #expect((1...28).contains(actions[.miss] ?? 0), "\(actions)")
    }

    @Test(arguments: BossCatalogue.all)
    func `blows of the resisted element deal less damage and of the feared element more`(
        boss: BossCatalogue.Entry
    ) throws {
        func damage(of element: Element, with companions: [HeroID] = ["boulder"]) throws -> Int {
            let hero = try #require(HeroCatalogue.all.first { $0.element == element })
            let heroes = ([hero.id] + companions).enumerated().map { GameWorld.hero($0.offset, $0.element) }
            var fight = try GameWorld.fight(against: boss.id, heroes)
            fight.giveTurn(to: .first)
            let blows = try GameWorld.outcomes(of: .command(.attack, by: zippy), in: fight).compactMap {
                if case .actionTaken(_, .attack, let damage) = $0.events.first { damage } else { nil }
            }
            // In percent of the hero's attack.
            return blows.reduce(0, +) * 100 / (blows.count * hero.attack)
        }
        for element in Element.allCases {
            let percent = try damage(of: element)
            switch element {
            case boss.resists:
                #expect((72...82).contains(percent), "\(element) \(percent)")
                // A lone hero meets no resistance.
                let alone = try damage(of: element, with: [])
                #expect((91...102).contains(alone), "\(element) \(alone)")
            case boss.fears: #expect((110...122).contains(percent), "\(element) \(percent)")
            case .earth, .water, .fire, .air, .light: #expect((91...102).contains(percent), "\(element) \(percent)")
            }
        }
    }

    @Test(arguments: [
        (Command.guardUp, HeroAction.guardUp), (.pass, .pass), (.flee, .fleeRefused),
    ])
    func `guarding, passing and fleeing use up the turn without damage`(command: Command, action: HeroAction) throws {
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

    @Test func `a potion in turn heals or revives`() throws {
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

    @Test func `a revival without a potion restores a fifth of the health`() throws {
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

    @Test func `the last blow ends the fight, and all heroes gain experience, even when down or left`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder", "inky"))
        fight.heroes[1].health = 0
        _ = try fight.advance(.leave(GameWorld.player(2)))
        fight.changeFight { $0.boss.health = 1 }
        let blows = try GameWorld.outcomes(of: .command(.attack, by: zippy), in: fight)
        let hit = try #require(blows.first { $0.adventure.status != .running })
        #expect(
            hit.events.dropFirst() == [
                .bossDefeated(boss: "glitch"), .heroLevelledUp(hero: .first, level: 2),
                .heroLevelledUp(hero: .second, level: 2), .heroLevelledUp(hero: .third, level: 2),
                .adventureEnded(outcome: .bossDefeated),
            ]
        )
        if case .actionTaken(_, _, let damage) = hit.events.first {
            #expect(damage == 1, "the damage is capped at the remaining health")
        }
        #expect(hit.adventure.outcome == .bossDefeated)
        #expect(hit.adventure.boss?.health == 0)
        #expect(hit.adventure.turn == nil)
        #expect(hit.adventure.heroes.map(\.experience) == [120, 120, 120])
    }

    @Test func `the fight is lost when no hero stands`() throws {
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

    @Test func `an undecided fight ends with its last turn`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        var events: [AdventureEvent] = []
        while let turn = fight.turn {
            for seat in fight.heroes.indices { fight.heroes[seat].health = fight.heroes[seat].maximumHealth }
            events =
                if let hero = turn.hero {
                    try fight.advance(.command(.pass, by: fight.heroes[hero].playerID))
                } else {
                    try fight.advance(.tick)
                }
        }
        #expect(fight.tick == Adventure.maxTurns)
        #expect(events.last == .adventureEnded(outcome: .expired))
        #expect(fight.outcome == .expired)
    }

    @Test func `a fight stored beyond its last turn ends with the next turn`() throws {
        let text = GoldenState.announced.replacing("turn 6", with: "turn \(Adventure.maxTurns + 7)")
        var fight = try Adventure(encoded: text)
        #expect(try fight.advance(.tick).last == .adventureEnded(outcome: .expired))
    }

    @Test func `a boss is scaled to the party's size and levels`() {
        func boss(facing count: Int, level: Int) -> BossInPlay {
            BossInPlay("glitch", facing: (0..<count).map { HeroInPlay(GameWorld.hero($0, level: level)) }, under: .v2)
        }
        let one = boss(facing: 1, level: 1)
        let four = boss(facing: 4, level: 1)
        #expect(one.maximumHealth == BossCatalogue["glitch"]?.healthPerHero)
        #expect(four.maximumHealth == 4 * one.maximumHealth)
        #expect(four.attack > one.attack && four.attackOnAll > one.attackOnAll)
        #expect(BossCatalogue["glitch"]?.attack == four.attack)
        let strong = boss(facing: 4, level: 11)
        #expect(strong.maximumHealth == four.maximumHealth * 160 / 100)
        #expect(abs(strong.attack * 100 - four.attack * 160) <= 100, "up to rounding")
    }
}
