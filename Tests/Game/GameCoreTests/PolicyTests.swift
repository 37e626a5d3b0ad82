import Testing

@testable import GameCore

/// What heroes do with turns that their players let pass.
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
    func `a player chooses a policy at any time, and the turn goes on by it`(
        policy: TurnPolicy,
        action: HeroAction
    ) throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder"))
        let before = fight
        // Not in the player's own turn: another's is open, and stays so.
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

    @Test func `also one who is down chooses, for when it is up again`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder"))
        fight.heroes[1].health = 0
        _ = try fight.advance(.command(.policy(.skip), by: GameWorld.player(1)))
        #expect(fight.heroes[1].policy == .skip)
    }

    @Test(arguments: TurnPolicy.allCases) func `who has left goes on by the policy`(policy: TurnPolicy) throws {
        var fight = try GameWorld.fight(GameWorld.heroes("zippy", "boulder"))
        _ = try fight.advance(.command(.policy(policy), by: GameWorld.player(0)))
        _ = try fight.advance(.leave(GameWorld.player(0)))
        #expect(fight.turn == Turn(number: 1, hero: .first))
        guard case .actionTaken(.first, let action, _) = try fight.advance(.tick).first else {
            Issue.record("nothing was done")
            return
        }
        switch policy {
        case .automatic: #expect(action == .special)
        case .guard: #expect(action == .guardUp)
        case .skip: #expect(action == .pass)
        }
    }

    @Test func `a potion goes to whoever needs it most and is below 30 percent`() throws {
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
        #expect(try choice(in: fight) == .potion(target: .second), "of equals the lower seat")
        fight.heroes[0].cooldown = 0
        #expect(try choice(in: fight) == .potion(target: .second), "before a move that does not heal")
        fight.heroes[0].potions = 0
        #expect(try choice(in: fight) == .special)
        fight.heroes[0].cooldown = 1
        #expect(try choice(in: fight) == .attack)
    }

    @Test func `a move that heals saves the potion`() throws {
        var glimmer = try GameWorld.fight(GameWorld.heroes("glimmer", "boulder"))
        glimmer.heroes[1].health = 0
        #expect(try choice(in: glimmer) == .special)
        var spouty = try GameWorld.fight(GameWorld.heroes("spouty", "boulder"))
        spouty.heroes[1].health = 10
        #expect(try choice(in: spouty) == .special)
        // The song gets nobody up.
        spouty.heroes[1].health = 0
        #expect(try choice(in: spouty) == .potion(target: .second))
    }

    @Test(arguments: ["ember", "zippy", "prickle", "hoot", "inky", "bamboo"] as [HeroID])
    func `a move that is good at any time is used when it is ready`(hero: HeroID) throws {
        var fight = try GameWorld.fight(GameWorld.heroes(hero, "boulder"))
        #expect(try choice(in: fight) == .special)
        fight.heroes[0].cooldown = 1
        #expect(try choice(in: fight) == .attack)
    }

    @Test func `a move waits for the moment when it does good`() throws {
        var hoot = try GameWorld.fight(GameWorld.heroes("hoot"))
        hoot.changeFight { $0.boss.exposedBlows = 1 }
        #expect(try choice(in: hoot) == .attack)
        var inky = try GameWorld.fight(GameWorld.heroes("inky"))
        inky.changeFight { $0.boss.weakenedTurns = 1 }
        #expect(try choice(in: inky) == .attack)
        #expect(try choice(in: try GameWorld.fight(GameWorld.heroes("bamboo"))) == .attack, "nobody to save")
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

    @Test func `against an announced blow the weak guard and the strong strike`() throws {
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

    @Test(arguments: HeroCatalogue.all) func `what a policy chooses is never refused`(hero: HeroCatalogue.Entry) throws
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
