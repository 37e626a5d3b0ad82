import Testing

@testable import GameCore

/// The moves of bosses.
struct BossMoveTests {
    /// Plays the boss's turn with many generator states and returns those in which it makes a given move.
    private func turns(
        of boss: BossID,
        move: BossMove,
        _ heroes: [Hero] = GameWorld.heroes("boulder", "bamboo", "spouty", "inky", "hoot", "glimmer"),
        phase: Int = 1,
        change: (inout Adventure) -> Void = { _ in }
    ) throws -> (before: Adventure, turns: [(adventure: Adventure, events: [AdventureEvent])]) {
        var fight = try GameWorld.fight(against: boss, heroes)
        fight.changeFight { fight in
            fight.boss.phase = phase
            fight.boss.health = fight.boss.maximumHealth * fight.boss.currentPhase.healthPercent / 100
        }
        fight.giveTurn(to: nil)
        change(&fight)
        let turns = try GameWorld.outcomes(of: .tick, in: fight, seeds: 1...300).filter { turn in
            if case .bossActed(move, _) = turn.events.first { true } else { false }
        }
        #expect(turns.count > 10, "\(boss) rarely makes \(move)")
        return (fight, turns)
    }

    private func hurts(_ events: [AdventureEvent], cause: DamageCause) -> [Seat] {
        events.compactMap { if case .heroHurt(let hero, _, cause, _) = $0 { hero } else { nil } }
    }

    @Test(arguments: 1...8) func `attack: one blow for three heroes, at least one`(size: Int) throws {
        let (before, turns) = try turns(of: "glitch", move: .attack, GameWorld.party(of: size))
        var counts: Set<Int> = []
        for (after, events) in turns {
            let hurts = hurts(events, cause: .bossAttack)
            counts.insert(hurts.count)
            #expect(hurts.count == events.filter { $0.kind == "heroHurt" }.count)
            #expect(after.boss?.announcement == nil && after.boss?.health == before.boss?.health)
        }
        let fewest = max(size / 3, 1)
        #expect(counts == Set(fewest...max((size + 2) / 3, 1)))
    }

    @Test func `sweep: one blow at every standing hero`() throws {
        let (_, turns) = try turns(of: "glitch", move: .sweep) { $0.heroes[2].health = 0 }
        for (_, events) in turns {
            #expect(hurts(events, cause: .bossAttack).map(\.rawValue) == [0, 1, 3, 4, 5])
        }
    }

    @Test func `drain: the boss gains half of the damage as health`() throws {
        let (before, turns) = try turns(of: "old-tangle", move: .drain, phase: 2)
        for (after, events) in turns {
            let lost = events.compactMap(\.hurtAmount).reduce(0, +)
            #expect(lost > 0)
            #expect(events.contains(.bossHealed(boss: "old-tangle", amount: (lost + 1) / 2)))
            #expect(after.boss?.health == (before.boss?.health ?? 0) + (lost + 1) / 2)
        }
    }

    @Test func `drain: the boss gains at most its missing health`() throws {
        let (_, almost) = try turns(of: "old-tangle", move: .drain) { fight in
            fight.changeFight { $0.boss.health -= 2 }
        }
        #expect(almost.allSatisfy { $0.events.contains(.bossHealed(boss: "old-tangle", amount: 2)) })
        #expect(almost.allSatisfy { $0.adventure.boss?.healthLevel == 1 })
        let (_, unhurt) = try turns(of: "old-tangle", move: .drain)
        #expect(unhurt.allSatisfy { $0.events.allSatisfy { $0.kind != "bossHealed" } })
    }

    @Test func `mend: the boss gains 5 % of its health and stays in its phase`() throws {
        let (before, turns) = try turns(of: "madam-gloom", move: .mend, phase: 2)
        let boss = try #require(before.boss)
        for (after, events) in turns {
            #expect(
                events.prefix(2) == [
                    .bossActed(move: .mend), .bossHealed(boss: "madam-gloom", amount: boss.maximumHealth * 5 / 100),
                ]
            )
            #expect(events.dropFirst(2).map(\.kind) == ["turnStarted"])
            #expect(after.boss?.phase == 2)
        }
    }

    @Test func `windUp deals no damage, and the next turn hits every standing hero`() throws {
        let (_, turns) = try turns(of: "cinderwing", move: .windUp)
        for (announced, events) in turns {
            #expect(events.map(\.kind) == ["bossActed", "turnStarted"])
            #expect(announced.boss?.isWindingUp == true && announced.boss?.announcement == .heavyAttack)
            var next = announced
            next.heroes[4].health = 0
            next.giveTurn(to: nil)
            let blow = try next.advance(.tick)
            #expect(blow.first == .bossActed(move: .heavyAttack))
            #expect(hurts(blow, cause: .bossHeavyAttack).map(\.rawValue) == [0, 1, 2, 3, 5])
            #expect(next.boss?.isWindingUp == false)
        }
    }

    @Test func `takeAim announces a standing hero, and the next turn crushes that hero`() throws {
        let (before, turns) = try turns(of: "stonejaw", move: .takeAim) { $0.heroes[2].health = 0 }
        var targets: Set<Seat> = []
        for (announced, events) in turns {
            guard case .bossActed(.takeAim, let target?) = events.first else {
                Issue.record("takeAim without a target")
                continue
            }
            targets.insert(target)
            #expect(events.count == 2 && before.standing.contains(target))
            #expect(announced.boss?.announcement == .crush(target))
            var next = announced
            next.giveTurn(to: nil)
            let blow = try next.advance(.tick)
            #expect(blow.first == .bossActed(move: .crush))
            #expect(hurts(blow, cause: .bossHeavyAttack) == [target])
            #expect(next.boss?.isWindingUp == false)
        }
        #expect(targets.count == 5)
    }

    @Test func `a crush hits only the challenger, even one who challenged after the announcement`() throws {
        var fight = try GameWorld.fight(against: "stonejaw", GameWorld.heroes("boulder", "bamboo", "spouty"))
        fight.changeFight { $0.boss.announcement = .crush(.first) }
        fight.giveTurn(to: .second)
        _ = try fight.advance(.command(.special, by: GameWorld.player(1)))
        #expect(fight.boss?.announcement == .crush(.first), "a challenge does not change the announcement")
        fight.giveTurn(to: nil)
        for (_, events) in try GameWorld.outcomes(of: .tick, in: fight) {
            #expect(events.first == .bossActed(move: .crush))
            #expect(events.compactMap(\.hurtHero) == [.second])
        }
    }

    @Test(arguments: BossMove.allCases) func `guarding halves a blow, and quarters an announced one`(
        move: BossMove
    ) throws {
        // At level 20 the hero survives every blow.
        var open = try GameWorld.fight(against: "stonejaw", [GameWorld.hero(0, "boulder", level: 20)])
        open.changeFight { fight in
            if move == .heavyAttack { fight.boss.announcement = .heavyAttack }
            if move == .crush { fight.boss.announcement = .crush(.first) }
        }
        open.giveTurn(to: nil)
        var guarded = open
        guarded.heroes[0].isGuarding = true
        let pairs = zip(
            try GameWorld.outcomes(of: .tick, in: open),
            try GameWorld.outcomes(of: .tick, in: guarded)
        )
        for (plain, halved) in pairs where plain.events.first == .bossActed(move: move) {
            let full = plain.events.compactMap(\.hurtAmount)
            switch move {
            case .heavyAttack, .crush: #expect(halved.events.compactMap(\.hurtAmount) == full.map { ($0 + 3) / 4 })
            case .attack, .sweep, .drain:
                #expect(halved.events.compactMap(\.hurtAmount) == full.map { ($0 + 1) / 2 })
            case .mend, .windUp, .takeAim: #expect(full == [] && halved.events == plain.events)
            }
        }
    }

    @Test func `a blow deals at least 1 damage`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("boulder"))
        fight.changeFight { $0.boss = BossInPlay("glitch", health: 9, maximumHealth: 9, attack: 1, attackOnAll: 1) }
        fight.giveTurn(to: nil)
        for (_, events) in try GameWorld.outcomes(of: .tick, in: fight) {
            #expect(events.compactMap(\.hurtAmount).allSatisfy { $0 == 1 })
        }
    }

    @Test(arguments: BossCatalogue.all) func `a boss enters each phase exactly at its threshold`(
        boss: BossCatalogue.Entry
    ) throws {
        let pass = AdventureInput.command(.pass, by: GameWorld.player(0))
        for (index, phase) in boss.phases.enumerated().dropFirst() {
            var fight = try GameWorld.fight(against: boss.id, GameWorld.heroes("boulder"))
            fight.giveTurn(to: .first)
            fight.changeFight { fight in
                fight.boss = BossInPlay(boss.id, health: 0, maximumHealth: 1_000, attack: 1, attackOnAll: 1)
                fight.boss.phase = index
                fight.boss.health = phase.healthPercent * 10 + 1
            }
            #expect(try fight.advance(pass).map(\.kind) == ["actionTaken", "turnStarted"])
            fight.giveTurn(to: .first)
            fight.changeFight { $0.boss.health -= 1 }
            let events = try fight.advance(pass)
            #expect(events.map(\.kind) == ["actionTaken", "bossEnraged", "turnStarted"])
            #expect(events[1] == .bossEnraged(boss: boss.id, phase: index + 1))
            #expect(fight.boss?.currentPhase == phase)
        }
    }

    @Test func `a blow past two thresholds enrages the boss twice, and a deadly blow not at all`() throws {
        var fight = try GameWorld.fight(against: "cinderwing", [GameWorld.hero(0, "ember", level: 20)])
        fight.changeFight {
            $0.boss = BossInPlay("cinderwing", health: 67, maximumHealth: 100, attack: 1, attackOnAll: 1)
        }
        fight.giveTurn(to: .first)
        var kinds: Set<[String]> = []
        for (after, events) in try GameWorld.outcomes(of: .command(.special, by: GameWorld.player(0)), in: fight) {
            guard let boss = after.boss else { continue }
            kinds.insert(events.map(\.kind))
            switch boss.health {
            case 0: #expect(boss.phase == 1 && events[1] == .bossDefeated(boss: "cinderwing"))
            case 1...33:
                #expect(boss.phase == 3)
                #expect(
                    events[1...2] == [
                        .bossEnraged(boss: "cinderwing", phase: 2), .bossEnraged(boss: "cinderwing", phase: 3),
                    ]
                )
            default: #expect(boss.phase == 1, "a miss")
            }
        }
        #expect(kinds.contains(["actionTaken", "bossEnraged", "bossEnraged", "turnStarted"]))
        #expect(kinds.contains { $0.contains("bossDefeated") })
    }
}
