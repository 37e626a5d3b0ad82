import Testing

@testable import GameCore

struct BossFightTests {
    /// Speed 14, then the boss Glitch with 6, then speed 3.
    private let zippyAndBoulder = [GameWorld.hero(0, "zippy"), GameWorld.hero(1, "boulder")]
    private let zippy = GameWorld.player(0)
    private let boulder = GameWorld.player(1)

    @Test func `it begins with the boss and the turn of the fastest`() throws {
        var fight = Adventure.bossFight(against: "glitch", heroes: zippyAndBoulder, seed: 1)
        #expect(fight.kind == .bossFight)
        #expect(fight.turn == nil)
        #expect(fight.region == nil && fight.place == nil && fight.progress == nil)
        #expect(
            try fight.advance(.start) == [
                .adventureStarted(kind: .bossFight), .bossAppeared(boss: "glitch"),
                .turnStarted(turn: 1, hero: .first),
            ]
        )
        #expect(fight.tick == 0)
        #expect(fight.boss?.id == "glitch")
        #expect(fight.boss?.healthLevel == 1)
    }

    @Test func `turns go by speed, the boss among them`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        var order: [Seat?] = []
        for _ in 0..<6 {
            order.append(try #require(fight.turn).hero)
            _ = try fight.advance(.tick)
        }
        #expect(order == [.first, nil, .second, .first, nil, .second])
    }

    @Test func `of equals the lower seat comes first, and heroes before the boss`() throws {
        // Cinderwing and Inky have the same speed.
        var fight = try GameWorld.fight(
            against: "cinderwing",
            [GameWorld.hero(0, "inky"), GameWorld.hero(1, "hoot"), GameWorld.hero(2, "inky")]
        )
        #expect(HeroCatalogue["inky"]?.speed == BossCatalogue["cinderwing"]?.speed)
        var order: [Seat?] = []
        for _ in 0..<4 {
            order.append(try #require(fight.turn).hero)
            _ = try fight.advance(.tick)
        }
        #expect(order == [.second, .first, .third, nil])
    }

    @Test func `a command resolves the turn at once and counts as a tick`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        let events = try fight.advance(.command(.attack, by: zippy))
        guard case .actionTaken(.first, .attack, let damage) = events.first else {
            Issue.record("no strike but \(events)")
            return
        }
        #expect(events.dropFirst() == [.turnStarted(turn: 2, hero: nil)])
        let boss = try #require(fight.boss)
        #expect(boss.health == boss.maximumHealth - damage)
        #expect((12...19).contains(damage), "16, give or take a fifth")
        #expect(fight.tick == 1)
        #expect(fight.turn == Turn(number: 2, hero: nil))
    }

    @Test func `nobody acts out of turn, not even with a potion`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        fight.heroes[1].health = 5
        for command in [.attack, .guardUp, .pass, .potion(target: nil), .potion(target: .first)] as [Command] {
            #expect(throws: Refusal.notYourTurn) { try fight.advance(.command(command, by: boulder)) }
        }
        _ = try fight.advance(.command(.pass, by: zippy))
        #expect(fight.turn?.hero == nil)
        #expect(throws: Refusal.notYourTurn) { try fight.advance(.command(.attack, by: zippy)) }
    }

    @Test func `a potion in turn heals or gets up, and is refused with the reason`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        #expect(throws: Refusal.targetUnhurt) { try fight.advance(.command(.potion(target: nil), by: zippy)) }
        #expect(throws: Refusal.unknownTarget) { try fight.advance(.command(.potion(target: .third), by: zippy)) }
        fight.heroes[1].health = 0
        #expect(throws: Refusal.heroDown) { try fight.advance(.command(.attack, by: boulder)) }
        var without = fight
        without.heroes[0].potions = 0
        #expect(throws: Refusal.noPotionsLeft) { try without.advance(.command(.potion(target: .second), by: zippy)) }

        let events = try fight.advance(.command(.potion(target: .second), by: zippy))
        #expect(
            events == [
                .actionTaken(hero: .first, action: .potion, damage: 0), .heroRevived(hero: .second, helper: .first),
                .heroHealed(hero: .second, amount: 56, source: .potion), .turnStarted(turn: 2, hero: nil),
            ]
        )
        #expect(fight.heroes[0].potions == 1)
    }

    @Test func `who is down is passed over`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        fight.heroes[1].health = 0
        fight.heroes[0].potions = 0
        _ = try fight.advance(.tick)
        #expect(fight.turn?.hero == nil)
        _ = try fight.advance(.tick)
        #expect(fight.turn?.hero == .first)
    }

    @Test func `a hero left alone strikes, and gives a potion to whoever needs it most`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder + [GameWorld.hero(2, "inky")])
        #expect(fight.policy(of: .first) == .attack)
        // 30 % of 140 is 42: at 42 a hero is well enough, below not.
        fight.heroes[1].health = 42
        #expect(fight.policy(of: .first) == .attack)
        fight.heroes[1].health = 41
        #expect(fight.policy(of: .first) == .potion(target: .second))
        fight.heroes[2].health = 0
        #expect(fight.policy(of: .first) == .potion(target: .third))
        fight.heroes[0].potions = 0
        #expect(fight.policy(of: .first) == .attack)
    }

    @Test func `guarding halves a blow and lasts until the hero's next turn`() throws {
        var guarded = try GameWorld.fight(zippyAndBoulder)
        var open = guarded
        var events: [Event] = []
        guarded.heroes[0].isGuarding = true
        guarded.hurt(.first, by: 32, cause: .bossAttack, &events)
        open.hurt(.first, by: 32, cause: .bossAttack, &events)
        // Zippy's defence takes 2.
        #expect(events == [15, 30].map { .heroHurt(hero: .first, amount: $0, cause: .bossAttack) })

        var fight = try GameWorld.fight(zippyAndBoulder)
        #expect(
            try fight.advance(.command(.guardUp, by: zippy)).first
                == .actionTaken(hero: .first, action: .guardUp, damage: 0)
        )
        #expect(fight.heroes[0].isGuarding)
        _ = try fight.advance(.tick)
        #expect(fight.heroes[0].isGuarding)
        _ = try fight.advance(.tick)
        #expect(fight.turn?.hero == .first)
        #expect(!fight.heroes[0].isGuarding)
    }

    @Test func `the heavy attack is announced a turn before and hits all who stand`() throws {
        var announced = 0
        for seed in GameWorld.seeds {
            var fight = try GameWorld.fight(GameWorld.party(of: 4), seed: seed)
            while fight.status == .running {
                let before = fight
                let events = try fight.advance(.tick)
                guard case .bossActed(let move) = events.first else { continue }
                #expect((before.boss?.isWindingUp == true) == (move == .heavyAttack))
                #expect((fight.boss?.isWindingUp == true) == (move == .windUp))
                let hit = events.filter { $0.kind == "heroHurt" }.count
                switch move {
                case .attack: #expect(hit == 1)
                case .windUp: #expect(hit == 0)
                case .heavyAttack:
                    announced += 1
                    #expect(hit == before.standing.count)
                }
            }
        }
        #expect(announced > GameWorld.seeds.count)
    }

    @Test func `the last strike ends the fight, and all learn from it`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        fight.heroes[1].health = 0
        while fight.status == .running {
            // Nobody is hurt, so the strikes go on.
            fight.heroes[0].health = fight.heroes[0].maximumHealth
            fight.heroes[0].potions = 0
            let events = try fight.advance(.tick)
            if fight.status == .running { continue }
            #expect(
                events.dropFirst() == [
                    .bossDefeated(boss: "glitch"), .heroLevelledUp(hero: .first, level: 2),
                    .heroLevelledUp(hero: .second, level: 2), .adventureEnded(outcome: .bossDefeated),
                ]
            )
        }
        #expect(fight.outcome == .bossDefeated)
        #expect(fight.boss?.health == 0)
        #expect(fight.turn == nil)
    }

    @Test func `the fight is lost when nobody stands`() throws {
        var fight = try GameWorld.fight(against: "cinderwing", [GameWorld.hero(0, "boulder", potions: 0)])
        var events: [Event] = []
        while fight.status == .running {
            fight.heroes[0].health = min(fight.heroes[0].health, 1)
            events = try fight.advance(.tick)
        }
        #expect(
            events.suffix(4) == [
                .heroHurt(hero: .first, amount: 1, cause: .bossAttack), .heroDown(hero: .first), .partyWiped,
                .adventureEnded(outcome: .partyWiped),
            ]
        )
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

    @Test func `a boss grows with the party's size and levels`() {
        func boss(facing count: Int, level: Int) -> BossInPlay {
            BossInPlay("glitch", facing: (0..<count).map { HeroInPlay(GameWorld.hero($0, level: level)) })
        }
        let one = boss(facing: 1, level: 1)
        let four = boss(facing: 4, level: 1)
        #expect(four.maximumHealth == 4 * one.maximumHealth)
        #expect(four.attack > one.attack)
        #expect(BossCatalogue["glitch"]?.attack == four.attack)
        #expect(boss(facing: 4, level: 11).maximumHealth == four.maximumHealth * 160 / 100)
        #expect(boss(facing: 4, level: 11).attack == four.attack * 160 / 100)
    }

    @Test func `who joins a fight gets turns by speed`() throws {
        var fight = try GameWorld.fight(zippyAndBoulder)
        _ = try fight.advance(.join(GameWorld.hero(2, "leap")))
        _ = try fight.advance(.command(.pass, by: zippy))
        #expect(fight.turn == Turn(number: 2, hero: .third))
    }
}
