import Testing

@testable import GameCore

/// What a boss does with its turn.
struct BossMoveTests {
    /// The boss's turn, under many states of chance, where it makes some move.
    private func turns(
        of boss: BossID,
        move: BossMove,
        _ heroes: [Hero] = GameWorld.heroes("boulder", "bamboo", "spouty", "inky", "hoot", "glimmer"),
        phase: Int = 1,
        change: (inout Adventure) -> Void = { _ in }
    ) throws -> (before: Adventure, turns: [(adventure: Adventure, events: [Event])]) {
        var fight = try GameWorld.fight(against: boss, heroes)
        fight.changeFight { fight in
            fight.boss.phase = phase
            fight.boss.health = fight.boss.maximumHealth * fight.boss.conduct.healthPercent / 100
        }
        fight.giveTurn(to: nil)
        change(&fight)
        let turns = try GameWorld.outcomes(of: .tick, in: fight, seeds: 1...300).filter { turn in
            if case .bossActed(move, _) = turn.events.first { true } else { false }
        }
        #expect(turns.count > 10, "\(boss) hardly ever makes \(move)")
        return (fight, turns)
    }

    private func hurts(_ events: [Event], cause: Harm) -> [Seat] {
        events.compactMap { if case .heroHurt(let hero, _, cause) = $0 { hero } else { nil } }
    }

    @Test(arguments: 1...8) func `attack: one hero in three, and one at least`(size: Int) throws {
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

    @Test func `sweep: every hero who stands, once`() throws {
        let (_, turns) = try turns(of: "glitch", move: .sweep) { $0.heroes[2].health = 0 }
        for (_, events) in turns {
            #expect(hurts(events, cause: .bossAttack).map(\.rawValue) == [0, 1, 3, 4, 5])
        }
    }

    @Test func `drain: the boss gains half of what they lose`() throws {
        let (before, turns) = try turns(of: "old-tangle", move: .drain, phase: 2)
        for (after, events) in turns {
            let lost = events.compactMap(\.hurtAmount).reduce(0, +)
            #expect(lost > 0)
            #expect(events.contains(.bossHealed(boss: "old-tangle", amount: (lost + 1) / 2)))
            #expect(after.boss?.health == (before.boss?.health ?? 0) + (lost + 1) / 2)
        }
    }

    @Test func `drain: the boss gains no more than it lacks, and nothing when it is unhurt`() throws {
        let (_, almost) = try turns(of: "old-tangle", move: .drain) { fight in
            fight.changeFight { $0.boss.health -= 2 }
        }
        #expect(almost.allSatisfy { $0.events.contains(.bossHealed(boss: "old-tangle", amount: 2)) })
        #expect(almost.allSatisfy { $0.adventure.boss?.healthLevel == 1 })
        let (_, unhurt) = try turns(of: "old-tangle", move: .drain)
        #expect(unhurt.allSatisfy { $0.events.allSatisfy { $0.kind != "bossHealed" } })
    }

    @Test func `mend: the boss gains a twentieth of its health, and stays enraged`() throws {
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

    @Test func `winding up hurts nobody, and the next turn hits every hero who stands`() throws {
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

    @Test func `taking aim names a hero who stands, and the next turn crushes that one`() throws {
        let (before, turns) = try turns(of: "stonejaw", move: .takeAim) { $0.heroes[2].health = 0 }
        var targets: Set<Seat> = []
        for (announced, events) in turns {
            guard case .bossActed(.takeAim, let target?) = events.first else {
                Issue.record("aim at nobody")
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

    @Test func `a crush hits who has challenged the boss since it took aim, and nobody else`() throws {
        var fight = try GameWorld.fight(against: "stonejaw", GameWorld.heroes("boulder", "bamboo", "spouty"))
        fight.changeFight { $0.boss.announcement = .crush(.first) }
        fight.giveTurn(to: .second)
        _ = try fight.advance(.command(.special, by: GameWorld.player(1)))
        #expect(fight.boss?.announcement == .crush(.first), "the challenge is no new aim")
        fight.giveTurn(to: nil)
        for (_, events) in try GameWorld.outcomes(of: .tick, in: fight) {
            #expect(events.first == .bossActed(move: .crush))
            #expect(events.compactMap(\.hurtHero) == [.second])
        }
    }

    @Test(arguments: BossMove.allCases) func `guarding halves a blow, and quarters one that was announced`(
        move: BossMove
    ) throws {
        // A level makes sure that nobody goes down.
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

    @Test func `a blow takes one at least, however strong the defence`() throws {
        var fight = try GameWorld.fight(GameWorld.heroes("boulder"))
        fight.changeFight { $0.boss = BossInPlay("glitch", health: 9, maximumHealth: 9, attack: 1, attackOnAll: 1) }
        fight.giveTurn(to: nil)
        for (_, events) in try GameWorld.outcomes(of: .tick, in: fight) {
            #expect(events.compactMap(\.hurtAmount).allSatisfy { $0 == 1 })
        }
    }

    @Test(arguments: BossCatalogue.all) func `a boss is enraged at each threshold, and not before`(
        boss: BossCatalogue.Entry
    ) throws {
        let pass = Input.command(.pass, by: GameWorld.player(0))
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
            #expect(fight.boss?.conduct == phase)
        }
    }

    @Test func `one blow past two thresholds enrages twice, and a deadly one not at all`() throws {
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
