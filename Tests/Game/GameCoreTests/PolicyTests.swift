import Testing

@testable import GameCore

/// The policies of heroes for turns without a command.
struct PolicyTests {
    private func choice(in fight: Adventure, of seat: Seat = .first) throws -> Command {
        fight.commandByPolicy(of: seat, against: try #require(fight.boss))
    }

    private func announced(_ announcement: BossInPlay.Announcement, in fight: Adventure) -> Adventure {
        var fight = fight
        fight.changeFight { $0.boss.announcement = announcement }
        return fight
    }

    @Test(arguments: [(TurnPolicy.guard, HeroAction.guardUp), (.skip, .pass)])
    func `a player can choose a policy at any time, and the next turn follows it`(
        policy: TurnPolicy,
        action: HeroAction
    ) throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder"))
        let before = fight
        // Another hero's turn is open and stays open.
        #expect(
            try fight.advance(.command(.policy(policy), by: GameWorld.player(1)))
                == [.policyChosen(hero: .second, policy: policy)]
        )
        #expect(fight.turn == before.turn && fight.tick == before.tick)
        #expect(fight.heroes[1].policy == policy && fight.heroes[0].policy == .automatic)
        fight.giveTurn(to: .second)
        #expect(try fight.advance(.tick).first == .actionTaken(hero: .second, action: action, damage: 0))
        #expect(fight.heroes[1].isGuarding == (action == .guardUp))
    }

    @Test func `the player of a hero who is down can choose a policy`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder"))
        fight.heroes[1].health = 0
        _ = try fight.advance(.command(.policy(.skip), by: GameWorld.player(1)))
        #expect(fight.heroes[1].policy == .skip)
    }

    @Test(arguments: TurnPolicy.allCases) func `a hero whose player has left follows its policy`(policy: TurnPolicy)
        throws
    {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder"))
        _ = try fight.advance(.command(.policy(policy), by: GameWorld.player(0)))
        _ = try fight.advance(.leave(GameWorld.player(0)))
        #expect(fight.turn == Turn(number: 1, hero: .first))
        guard case .actionTaken(.first, let action, _) = try fight.advance(.tick).first else {
            Issue.record("the hero did not act")
            return
        }
        switch policy {
        case .automatic: #expect(action == .special)
        case .guard: #expect(action == .guardUp)
        case .skip: #expect(action == .pass)
        }
    }

    @Test func `a potion goes to the most wounded hero below 30 %`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("prickle", "boulder", "inky"))
        fight.heroes[0].cooldown = 1
        #expect(try choice(in: fight) == .attack)
        // 30 % of 132 is 39.6.
        fight.heroes[1].health = 40
        #expect(try choice(in: fight) == .attack)
        fight.heroes[1].health = 39
        #expect(try choice(in: fight) == .potion(target: .second))
        fight.heroes[2].health = 0
        #expect(try choice(in: fight) == .potion(target: .third))
        fight.heroes[1].health = 0
        #expect(try choice(in: fight) == .potion(target: .second), "at equal health the lower seat")
        fight.heroes[0].cooldown = 0
        #expect(
            try choice(in: fight) == .potion(target: .second),
            "a potion takes precedence over a move that does not heal"
        )
        fight.heroes[0].potions = 0
        #expect(try choice(in: fight) == .special)
        fight.heroes[0].cooldown = 1
        #expect(try choice(in: fight) == .attack)
    }

    @Test func `a healing move saves the potion`() throws {
        var glimmer = try GameWorld.fight(GameWorld.heroes("glimmer", "boulder"))
        glimmer.heroes[1].health = 0
        #expect(try choice(in: glimmer) == .special)
        var spouty = try GameWorld.fight(GameWorld.heroes("spouty", "boulder"))
        spouty.heroes[1].health = 10
        #expect(try choice(in: spouty) == .special)
        // Tidal Song does not revive.
        spouty.heroes[1].health = 0
        #expect(try choice(in: spouty) == .potion(target: .second))
    }

    @Test(arguments: ["ember", "zippy", "prickle", "hoot", "inky", "bamboo"] as [HeroID])
    func `a generally useful move is used as soon as it is ready`(hero: HeroID) throws {
        var fight = try GameWorld.fight(GameWorld.heroes(hero, "boulder"))
        #expect(try choice(in: fight) == .special)
        fight.heroes[0].cooldown = 1
        #expect(try choice(in: fight) == .attack)
    }

    @Test func `a situational move waits until it is useful`() throws {
        var hoot = try GameWorld.fight(GameWorld.heroes("hoot"))
        hoot.changeFight { $0.boss.exposedBlows = 1 }
        #expect(try choice(in: hoot) == .attack)
        var inky = try GameWorld.fight(GameWorld.heroes("inky"))
        inky.changeFight { $0.boss.weakenedTurns = 1 }
        #expect(try choice(in: inky) == .attack)
        #expect(
            try choice(in: try GameWorld.fight(GameWorld.heroes("bamboo"))) == .attack,
            "there is no companion to protect"
        )
        var bamboo = try GameWorld.fight(GameWorld.heroes("bamboo", "ember"))
        bamboo.heroes[0].health = 64
        #expect(try choice(in: bamboo) == .attack, "too weak to draw blows")
        for hero in ["leap", "boulder"] as [HeroID] {
            let fight = try GameWorld.fight(GameWorld.heroes(hero))
            #expect(try choice(in: fight) == .attack)
            #expect(try choice(in: announced(.heavyAttack, in: fight)) == .special)
        }
        var spouty = try GameWorld.fight(GameWorld.heroes("spouty", "boulder"))
        spouty.heroes[1].health = 71
        #expect(try choice(in: spouty) == .attack, "183 of 244")
        spouty.heroes[1].health = 70
        #expect(try choice(in: spouty) == .special)
        var glimmer = try GameWorld.fight(GameWorld.heroes("glimmer", "boulder"))
        glimmer.heroes[1].health = 80
        #expect(try choice(in: glimmer) == .attack)
        glimmer.heroes[1].health = 79
        #expect(try choice(in: glimmer) == .special)
    }

    @Test func `weak heroes guard against an announced blow, and healthy ones attack`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("ember", "boulder"))
        fight.heroes[0].cooldown = 1
        fight.heroes[0].health = 58
        #expect(try choice(in: fight) == .attack, "nothing is announced")
        // 60 % of 97 is 58.2.
        #expect(try choice(in: announced(.heavyAttack, in: fight)) == .guardUp)
        #expect(try choice(in: announced(.crush(.first), in: fight)) == .guardUp)
        #expect(try choice(in: announced(.crush(.second), in: fight)) == .attack)
        fight.heroes[0].health = 59
        #expect(try choice(in: announced(.heavyAttack, in: fight)) == .attack)
    }

    @Test(arguments: HeroCatalogue.all) func `the command of a policy is never refused`(hero: HeroCatalogue.Entry)
        throws
    {
        for seed in GameWorld.seeds {
            var fight = try GameWorld.fight(GameWorld.heroes(hero.id, "ember", "spouty"), seed: seed)
            while let turn = fight.turn {
                guard let seat = turn.hero else {
                    _ = try fight.advance(.tick)
                    continue
                }
                var commanded = fight
                let events = try commanded.advance(
                    .command(try choice(in: fight, of: seat), by: fight.heroes[seat].playerID)
                )
                #expect(try fight.advance(.tick) == events)
                #expect(fight == commanded)
            }
        }
    }
}
