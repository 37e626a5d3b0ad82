import Testing

@testable import GameCore

/// Each signature move does what its summary says.
struct SignatureMoveTests {
    private let special = AdventureInput.command(.special, by: GameWorld.player(0))

    /// Returns a fight in the first hero's turn.
    private func fight(_ heroes: HeroID..., against boss: BossID = "glitch") throws -> Adventure {
        var fight = try GameWorld.fight(
            against: boss,
            heroes.enumerated().map { GameWorld.hero($0.offset, $0.element) }
        )
        fight.giveTurn(to: .first)
        return fight
    }

    private func damageDone(by events: [AdventureEvent]) -> Int? {
        if case .actionTaken(.first, .special, let damage) = events.first { damage } else { nil }
    }

    @Test(arguments: HeroCatalogue.all) func `a move is ready again after its cooldown and not before`(
        hero: HeroCatalogue.Entry
    ) throws {
        var fight = try fight(hero.id)
        fight.changeFight {
            $0.boss = BossInPlay("glitch", health: 9_999, maximumHealth: 9_999, attack: 1, attackOnAll: 1)
        }
        // Hurt, so that healing moves are not refused.
        fight.heroes[0].health /= 2
        let events = try fight.advance(special)
        #expect(damageDone(by: events) != nil)
        #expect(fight.heroes[0].cooldown == hero.signatureMove.cooldown)
        for turn in 1...hero.signatureMove.cooldown {
            _ = try fight.advance(.tick)
            #expect(fight.turn?.hero == .first)
            #expect(fight.heroes[0].cooldown == hero.signatureMove.cooldown - turn)
            let isReady = turn == hero.signatureMove.cooldown
            #expect(fight.refusal(of: special) == (isReady ? nil : .onCooldown), "turn \(turn)")
            if !isReady { _ = try fight.advance(.command(.pass, by: GameWorld.player(0))) }
        }
    }

    @Test func `Tidal Song: every standing hero gains 12 percent of its health`() throws {
        var fight = try fight("spouty", "boulder", "hoot", "ember")
        fight.heroes[0].health = 50
        fight.heroes[1].health = 0
        fight.heroes[3].health -= 2
        #expect(
            try fight.advance(special).dropLast() == [
                .actionTaken(hero: .first, action: .special, damage: 0),
                .heroHealed(hero: .first, amount: 112 * 12 / 100, source: .special),
                .heroHealed(hero: Seat(rawValue: 3), amount: 2, source: .special),
            ]
        )
        #expect(fight.heroes[1].isDown)
    }

    @Test func `Bear Hug: the hero guards and draws all blows at single heroes until its next turn`() throws {
        var fight = try fight("bamboo", "boulder", "ember")
        #expect(try fight.advance(special).first == .actionTaken(hero: .first, action: .special, damage: 0))
        #expect(fight.heroes[0].isGuarding && fight.heroes[0].isChallenging)
        #expect(!fight.heroes[1].isGuarding && !fight.heroes[1].isChallenging)
        fight.giveTurn(to: nil)
        for (_, events) in try GameWorld.outcomes(of: .tick, in: fight) {
            guard case .bossActed(.attack, _) = events.first else { continue }
            #expect(events.filter { $0.kind == "heroHurt" }.allSatisfy { $0.hurtHero == .first })
        }
        fight.giveTurn(to: Seat(rawValue: 2))
        while fight.turn?.hero != .first { _ = try fight.advance(.tick) }
        #expect(!fight.heroes[0].isGuarding && !fight.heroes[0].isChallenging)
    }

    @Test func `Bear Hug: drains and aims are drawn as well, and a second challenger takes over`() throws {
        var fight = try fight("bamboo", "bamboo", "ember", against: "madam-gloom")
        _ = try fight.advance(special)
        fight.giveTurn(to: nil)
        var moves: Set<BossMove> = []
        for (after, events) in try GameWorld.outcomes(of: .tick, in: fight) {
            guard case .bossActed(let move, let target) = events.first else { continue }
            if move == .drain {
                moves.insert(move)
                #expect(events.allSatisfy { $0.kind != "heroHurt" || $0.hurtHero == .first })
            }
            if move == .takeAim {
                moves.insert(move)
                #expect(target == .first && after.boss?.announcement == .crush(.first))
            }
        }
        #expect(moves == [.drain, .takeAim])

        fight.giveTurn(to: .second)
        _ = try fight.advance(.command(.special, by: GameWorld.player(1)))
        #expect(fight.heroes.map(\.isChallenging) == [false, true, false])
    }

    @Test func `Wildfire: one blow of more than twice the strength`() throws {
        for (_, events) in try GameWorld.outcomes(of: special, in: try fight("ember")) {
            let damage = try #require(damageDone(by: events))
            #expect(GameWorld.isBlow(damage, by: "ember", percent: 220), "\(damage)")
        }
    }

    @Test func `Shell Wall: every standing hero guards until its next turn`() throws {
        var fight = try fight("boulder", "zippy", "ember", "hoot")
        fight.heroes[1].health = 0
        _ = try fight.advance(special)
        // After the slowest hero the fastest is next; Ember's turn ends its guard.
        #expect(fight.turn?.hero == .third)
        #expect(fight.heroes.map(\.isGuarding) == [true, false, false, true])
        _ = try fight.advance(.command(.pass, by: GameWorld.player(2)))
        #expect(fight.heroes.map(\.isGuarding) == [true, false, false, false])
    }

    @Test func `Night Gaze: the next four blows deal 40 percent more damage`() throws {
        var plain = try fight("hoot")
        var exposed = plain
        #expect(
            try exposed.advance(special).prefix(2) == [
                .actionTaken(hero: .first, action: .special, damage: 0),
                .bossHindered(boss: "glitch", by: .exposed),
            ]
        )
        #expect(exposed.boss?.exposedBlows == 4)
        let attack = AdventureInput.command(.attack, by: GameWorld.player(0))
        for left in [3, 2, 1, 0] {
            plain.giveTurn(to: .first)
            exposed.giveTurn(to: .first)
            let pairs = zip(
                try GameWorld.outcomes(of: attack, in: plain),
                try GameWorld.outcomes(of: attack, in: exposed)
            )
            for ((_, before), (after, events)) in pairs {
                guard
                    case .actionTaken(_, let action, let less) = before.first,
                    case .actionTaken(_, let same, let more) = events.first
                else { continue }
                #expect(action == same)
                #expect(abs(more * 100 - less * 140) <= 120, "140 %, up to rounding")
                #expect(after.boss?.exposedBlows == (action == .miss ? left + 1 : left))
            }
            exposed = try #require(
                try GameWorld.outcomes(of: attack, in: exposed).map(\.adventure).first { $0.boss?.exposedBlows == left }
            )
        }
        plain.giveTurn(to: .first)
        exposed.giveTurn(to: .first)
        let last = zip(
            try GameWorld.outcomes(of: attack, in: plain),
            try GameWorld.outcomes(of: attack, in: exposed)
        )
        #expect(last.allSatisfy { $0.0.events.first == $0.1.events.first })
    }

    @Test func `Ink Cloud: the boss deals 30 percent less damage for two of its turns`() throws {
        var plain = try fight("inky", "boulder")
        var weakened = plain
        #expect(
            try weakened.advance(special).prefix(2) == [
                .actionTaken(hero: .first, action: .special, damage: 0),
                .bossHindered(boss: "glitch", by: .weakened),
            ]
        )
        #expect(weakened.boss?.weakenedTurns == 2)
        for left in [1, 0] {
            plain.giveTurn(to: nil)
            weakened.giveTurn(to: nil)
            let pairs = zip(
                try GameWorld.outcomes(of: .tick, in: plain),
                try GameWorld.outcomes(of: .tick, in: weakened)
            )
            for (full, less) in pairs {
                #expect(full.events.first == less.events.first)
                #expect(less.adventure.boss?.weakenedTurns == left)
                for (blow, weaker) in zip(full.events, less.events) {
                    guard let victim = blow.hurtHero, let amount = blow.hurtAmount else { continue }
                    let defence = plain.heroes[victim].strengths.defenceHundredths / 100
                    let weakened = try #require(weaker.hurtAmount) + defence
                    #expect(abs(weakened * 100 - (amount + defence) * 70) <= 200, "70 %, up to rounding")
                }
            }
            weakened = try #require(try GameWorld.outcomes(of: .tick, in: weakened).first?.adventure)
        }
        #expect(weakened.boss?.weakenedTurns == 0)
    }

    @Test func `Bristle: a strong blow, after which the hero guards`() throws {
        for (after, events) in try GameWorld.outcomes(of: special, in: try fight("prickle")) {
            let damage = try #require(damageDone(by: events))
            #expect(GameWorld.isBlow(damage, by: "prickle", percent: 120), "\(damage)")
            #expect(after.heroes[0].isGuarding)
        }
    }

    @Test(arguments: [BossInPlay.Announcement.heavyAttack, .crush(.first)])
    func `Tongue Lash: a blow that hits cancels the announced move, and a miss does not`(
        announcement: BossInPlay.Announcement
    ) throws {
        var fight = try fight("leap")
        fight.changeFight { $0.boss.announcement = announcement }
        var hits = 0
        for (after, events) in try GameWorld.outcomes(of: special, in: fight) {
            let damage = try #require(damageDone(by: events))
            #expect(GameWorld.isBlow(damage, by: "leap", percent: 120), "\(damage)")
            let isHit = damage > 0
            hits += isHit ? 1 : 0
            #expect(after.boss?.announcement == (isHit ? nil : announcement))
            #expect(events.contains(.bossHindered(boss: "glitch", by: .interrupted)) == isHit)
            var next = after
            next.giveTurn(to: nil)
            let move = try next.advance(.tick).first
            #expect((move == .bossActed(move: .heavyAttack) || move == .bossActed(move: .crush)) == !isHit)
        }
        // 4 % miss; four standard deviations at 200 blows are 6 %.
        #expect((180..<200).contains(hits), "\(hits) of 200 hit")
    }

    @Test func `Tongue Lash: without an announced move, a blow interrupts nothing`() throws {
        for (after, events) in try GameWorld.outcomes(of: special, in: try fight("leap")) {
            #expect(events.map(\.kind) == ["actionTaken", "turnStarted"])
            #expect(after.boss?.announcement == nil)
        }
    }

    @Test func `Rainbow Mend: the most wounded hero gains a third of its health, and is revived if it was down`() throws
    {
        var fight = try fight("glimmer", "boulder", "ember")
        fight.heroes[1].health = 66
        fight.heroes[2].health = 40
        var revival = fight
        #expect(
            try fight.advance(special).dropLast() == [
                .actionTaken(hero: .first, action: .special, damage: 0),
                .heroHealed(hero: .third, amount: 97 * 33 / 100, source: .special),
            ]
        )
        revival.heroes[1].health = 0
        #expect(
            try revival.advance(special).dropLast() == [
                .actionTaken(hero: .first, action: .special, damage: 0),
                .heroRevived(hero: .second, helper: .first),
                .heroHealed(hero: .second, amount: 132 * 33 / 100, source: .special),
            ]
        )
    }

    @Test func `Swarm: three blows, each of three quarters of the strength, until the boss is down`() throws {
        // Stonejaw neither resists nor fears air: three blows of 75 % of 12 to 19, each of which may miss or be
        // critical.
        var fight = try fight("zippy", against: "stonejaw")
        var least = Int.max
        var most = 0
        for (_, events) in try GameWorld.outcomes(of: special, in: fight) {
            let damage = try #require(damageDone(by: events))
            least = min(least, damage)
            most = max(most, damage)
        }
        #expect(least < 27 && (43...75).contains(most), "\(least) to \(most)")

        fight.changeFight { $0.boss.health = 5 }
        let won = try GameWorld.outcomes(of: special, in: fight).filter { $0.adventure.outcome == .bossDefeated }
        #expect(won.count > 190)
        #expect(won.allSatisfy { damageDone(by: $0.events) == 5 })
    }
}

extension AdventureEvent {
    /// The hero that the event hurt, if any.
    var hurtHero: Seat? {
        if case .heroHurt(let hero, _, _, _) = self { hero } else { nil }
    }

    /// The damage of the event, if it hurt a hero.
    var hurtAmount: Int? {
        if case .heroHurt(_, let amount, _, _) = self { amount } else { nil }
    }
}
