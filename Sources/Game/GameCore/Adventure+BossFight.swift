extension Adventure {
    /// A fight that has had so many turns is over, and the boss gets away.
    ///
    /// More than the longest fight of eight heroes who play by themselves; only a party that neither wins nor falls comes so far.
    public static let mostTurns = 400
    /// How much less hard a weakened boss hits, in percent.
    public static let weakenedPercent = 30
    /// How much harder blows at an exposed boss hit, in percent.
    public static let exposedPercent = 40

    /// A hero who is helped up without a potion has this share of its health.
    private static let revivalPercent = 20
    /// What a blow that hits especially hard takes, in percent of another's.
    private static let criticalPercent = 175
    /// What a blow at every hero takes, in percent of one at a single hero.
    private static let sweepPercent = 45
    /// What a blow takes that feeds the boss; half of it is gained.
    private static let drainPercent = 75
    /// What the boss gains when it does nothing else, in percent of its health.
    private static let mendPercent = 5
    /// What the announced blow at every hero takes, in percent of an ordinary one at a single hero.
    private static let heavyPercent = 85
    /// What the announced blow at one hero takes.
    private static let crushPercent = 160
    /// What each hero learns from a boss's defeat.
    private static let victoryExperience = 120

    /// Plays the open turn to its end: the boss's, or that of a hero whose player has let the deadline pass.
    mutating func playTurn(_ events: inout [Event]) {
        var fight = openFight
        guard let turn = fight.turn else { preconditionFailure("a running fight has an open turn") }
        if let hero = turn.hero {
            perform(commandByPolicy(of: hero, against: fight.boss), by: hero, against: &fight.boss, &events)
        } else {
            act(&fight.boss, &events)
        }
        close(turn, of: &fight, &events)
        scene = .bossFight(fight)
    }

    /// Carries out a command; all but the choice of a policy resolve the hero's open turn at once, and so count as a tick.
    mutating func carryOutInTurn(_ command: Command, by seat: Seat, _ events: inout [Event]) throws(Refusal) {
        if case .policy(let policy) = command {
            heroes[seat].policy = policy
            events.append(.policyChosen(hero: seat, policy: policy))
            return
        }
        var fight = openFight
        guard !heroes[seat].isDown else { throw .heroDown }
        guard let turn = fight.turn, turn.hero == seat else { throw .notYourTurn }
        if let refusal = refusal(of: command, by: seat) { throw refusal }
        tick += 1
        perform(command, by: seat, against: &fight.boss, &events)
        close(turn, of: &fight, &events)
        scene = .bossFight(fight)
    }

    /// Opens the next turn after another one's, or the first turn of the fight.
    ///
    /// The faster acts earlier; of equals a hero before the boss and the lower seat before the higher. Who is down is
    /// passed over. After the slowest the fastest begins again.
    mutating func openTurn(number: Int, after last: Turn?, of fight: inout BossFight, _ events: inout [Event]) {
        let bossSpeed = fight.boss.speed
        func rank(_ candidate: Seat?) -> Int {
            let speed = candidate.map { heroes[$0].strengths.speed } ?? bossSpeed
            return (candidate?.rawValue ?? Self.mostHeroes) - speed * (Self.mostHeroes + 1)
        }
        let lastRank = last.map { rank($0.hero) } ?? Int.min
        // The next after the last one, and the first of all, for when the last one was the slowest.
        var next: (rank: Int, hero: Seat?)?
        var first: (rank: Int, hero: Seat?) = (rank(nil), nil)
        if first.rank > lastRank { next = first }
        for seat in standing {
            let candidate = (rank: rank(seat), hero: seat as Seat?)
            if candidate.rank < first.rank { first = candidate }
            if candidate.rank > lastRank, candidate.rank < next?.rank ?? Int.max { next = candidate }
        }

        let hero = (next ?? first).hero
        if let hero { heroes[hero].beginTurn() }
        fight.turn = Turn(number: number, hero: hero)
        events.append(.turnStarted(turn: number, hero: hero))
    }

    private var openFight: BossFight {
        guard case .bossFight(let fight) = scene else { preconditionFailure("only a fight has turns") }
        return fight
    }

    private mutating func close(_ turn: Turn, of fight: inout BossFight, _ events: inout [Event]) {
        while fight.boss.enrages() {
            events.append(.bossEnraged(boss: fight.boss.id, phase: fight.boss.phase))
        }
        if fight.boss.health == 0 {
            fight.turn = nil
            events.append(.bossDefeated(boss: fight.boss.id))
            for seat in seatsInPlay {
                gain(Self.victoryExperience, by: seat, &events)
            }
            finish(.bossDefeated, &events)
        } else if standing.isEmpty {
            fight.turn = nil
            finishIfWiped(&events)
        } else if turn.number >= Self.mostTurns {
            fight.turn = nil
            finish(.expired, &events)
        } else {
            openTurn(number: turn.number + 1, after: turn, of: &fight, &events)
        }
    }
}

// What heroes do.
extension Adventure {
    private func refusal(of command: Command, by seat: Seat) -> Refusal? {
        switch command {
        case .potion(let target):
            refusal(ofPotionBy: seat, to: target ?? seat)
        case .revive(let target):
            if !seatsInPlay.contains(target) { .unknownTarget } else { heroes[target].isDown ? nil : .targetNotDown }
        case .special:
            if heroes[seat].cooldown > 0 {
                .onCooldown
            } else if healsNobody(heroes[seat].strengths.effect) {
                .targetUnhurt
            } else {
                nil
            }
        case .attack, .guardUp, .flee, .pass, .policy:
            nil
        }
    }

    /// Whether a signature move does nothing but heal, and there is nobody whom it could.
    private func healsNobody(_ effect: SignatureMove.Effect) -> Bool {
        switch effect {
        case .healAll: standing.allSatisfy { heroes[$0].health == heroes[$0].maximumHealth }
        case .healNeediest: neediest(below: 100) == nil
        case .blows, .interruptingBlow, .guardedBlow, .guardAll, .challenge, .weaken, .expose: false
        }
    }

    private mutating func perform(
        _ command: Command,
        by seat: Seat,
        against boss: inout BossInPlay,
        _ events: inout [Event]
    ) {
        switch command {
        case .attack:
            let blow = strike(boss, by: seat, percent: 100)
            boss.suffer(blow)
            events.append(.actionTaken(hero: seat, action: blow.action, damage: blow.damage))
        case .guardUp:
            heroes[seat].isGuarding = true
            events.append(.actionTaken(hero: seat, action: .guardUp, damage: 0))
        case .special:
            useSignatureMove(by: seat, against: &boss, &events)
        case .potion(let target):
            events.append(.actionTaken(hero: seat, action: .potion, damage: 0))
            givePotion(by: seat, to: target ?? seat, &events)
        case .revive(let target):
            events.append(.actionTaken(hero: seat, action: .revive, damage: 0))
            heal(target, percent: Self.revivalPercent, source: .revival, by: seat, &events)
        case .flee:
            events.append(.actionTaken(hero: seat, action: .fleeRefused, damage: 0))
        case .pass:
            events.append(.actionTaken(hero: seat, action: .pass, damage: 0))
        case .policy:
            preconditionFailure("the choice of a policy resolves no turn")
        }
    }

    /// A hero's blow at the boss, which has not yet felt it.
    private mutating func strike(_ boss: BossInPlay, by seat: Seat, percent: Int) -> Blow {
        let strengths = heroes[seat].strengths
        let fate = generator.number(below: 100)
        if fate < strengths.heroClass.missPercent { return Blow(damage: 0, action: .miss) }
        let isCritical = fate >= 100 - strengths.heroClass.criticalPercent
        let felt = percent * boss.entry.feltPercent(of: strengths.element)
        var hundredths = generator.spread(strengths.attackHundredths) * felt / 10_000
        if isCritical { hundredths = hundredths * Self.criticalPercent / 100 }
        if boss.exposedBlows > 0 { hundredths = hundredths * (100 + Self.exposedPercent) / 100 }
        let damage = (hundredths + 50) / 100
        return Blow(damage: min(max(damage, 1), boss.health), action: isCritical ? .critical : .attack)
    }

    private mutating func useSignatureMove(by seat: Seat, against boss: inout BossInPlay, _ events: inout [Event]) {
        let strengths = heroes[seat].strengths
        heroes[seat].cooldown = strengths.cooldown
        var damage = 0
        var hindrance: Hindrance?
        switch strengths.effect {
        case .blows(let count, let percent):
            for _ in 0..<count where boss.health > 0 {
                let blow = strike(boss, by: seat, percent: percent)
                boss.suffer(blow)
                damage += blow.damage
            }
        case .interruptingBlow(let percent):
            let blow = strike(boss, by: seat, percent: percent)
            boss.suffer(blow)
            if blow.damage > 0, boss.announcement != nil {
                boss.announcement = nil
                hindrance = .interrupted
            }
            damage = blow.damage
        case .guardedBlow(let percent):
            let blow = strike(boss, by: seat, percent: percent)
            boss.suffer(blow)
            heroes[seat].isGuarding = true
            damage = blow.damage
        case .guardAll:
            for companion in standing { heroes[companion].isGuarding = true }
        case .challenge:
            for companion in standing { heroes[companion].isChallenging = companion == seat }
            heroes[seat].isGuarding = true
        case .weaken(let turns):
            boss.weakenedTurns = turns
            hindrance = .weakened
        case .expose(let blows):
            boss.exposedBlows = blows
            hindrance = .exposed
        case .healAll, .healNeediest:
            break
        }
        events.append(.actionTaken(hero: seat, action: .special, damage: damage))
        if let hindrance { events.append(.bossHindered(boss: boss.id, by: hindrance)) }
        // Who gains by it is told after the action.
        switch strengths.effect {
        case .healAll(let percent):
            for companion in standing where heroes[companion].health < heroes[companion].maximumHealth {
                heal(companion, percent: percent, source: .special, by: seat, &events)
            }
        case .healNeediest(let percent):
            if let neediest = neediest(below: 100) {
                heal(neediest, percent: percent, source: .special, by: seat, &events)
            }
        case .blows, .interruptingBlow, .guardedBlow, .guardAll, .challenge, .weaken, .expose:
            break
        }
    }
}

// What the boss does.
extension Adventure {
    private mutating func act(_ boss: inout BossInPlay, _ events: inout [Event]) {
        switch boss.announcement {
        case .heavyAttack:
            boss.announcement = nil
            hitAll(with: .heavyAttack, percent: Self.heavyPercent, of: boss, cause: .bossHeavyAttack, &events)
        case .crush(let target):
            boss.announcement = nil
            events.append(.bossActed(move: .crush))
            hit(challenger ?? target, with: boss.attack * Self.crushPercent, of: boss, cause: .bossHeavyAttack, &events)
        case nil:
            move(&boss, &events)
        }
        boss.weakenedTurns = max(boss.weakenedTurns - 1, 0)
    }

    private mutating func move(_ boss: inout BossInPlay, _ events: inout [Event]) {
        switch generator.choice(of: boss.conduct.moves) {
        case .attack:
            events.append(.bossActed(move: .attack))
            hitSome(percent: 100, of: boss, &events)
        case .sweep:
            hitAll(with: .sweep, percent: Self.sweepPercent, of: boss, cause: .bossAttack, &events)
        case .drain:
            events.append(.bossActed(move: .drain))
            let lost = hitSome(percent: Self.drainPercent, of: boss, &events)
            boss.gain((lost + 1) / 2, &events)
        case .mend:
            events.append(.bossActed(move: .mend))
            boss.gain(boss.maximumHealth * Self.mendPercent / 100, &events)
        case .windUp:
            boss.announcement = .heavyAttack
            events.append(.bossActed(move: .windUp))
        case .takeAim:
            let target = anyVictim()
            boss.announcement = .crush(target)
            events.append(.bossActed(move: .takeAim, target: target))
        case .heavyAttack, .crush:
            preconditionFailure("\(boss.id) does \(boss.conduct.moves) without announcing it")
        }
    }

    /// Whom a blow at one hero hits: who challenged the boss, else anyone who stands.
    private mutating func anyVictim() -> Seat {
        challenger ?? generator.choice(of: standing)
    }

    /// Who draws every blow that is meant for one hero.
    private var challenger: Seat? {
        standing.first { heroes[$0].isChallenging }
    }

    /// Blows at one hero in three, where chance rounds, but at one at least; each at anyone.
    /// - Returns: what they lost together.
    @discardableResult
    private mutating func hitSome(percent: Int, of boss: BossInPlay, _ events: inout [Event]) -> Int {
        let blows = max((heroes.count + generator.number(below: 3)) / 3, 1)
        var lost = 0
        for _ in 0..<blows where !standing.isEmpty {
            lost += hit(anyVictim(), with: boss.attack * percent, of: boss, cause: .bossAttack, &events)
        }
        return lost
    }

    private mutating func hitAll(
        with move: BossMove,
        percent: Int,
        of boss: BossInPlay,
        cause: Harm,
        _ events: inout [Event]
    ) {
        events.append(.bossActed(move: move))
        for victim in standing {
            hit(victim, with: boss.attackOnAll * percent, of: boss, cause: cause, &events)
        }
    }

    @discardableResult
    private mutating func hit(
        _ victim: Seat,
        with strengthPercents: Int,
        of boss: BossInPlay,
        cause: Harm,
        _ events: inout [Event]
    ) -> Int {
        let weakened = boss.weakenedTurns > 0 ? 100 - Self.weakenedPercent : 100
        let hundredths = strengthPercents * boss.conduct.attackPercent * weakened / 10_000
        return hurt(victim, byHundredths: generator.spread(hundredths), cause: cause, &events)
    }
}

/// What a hero's blow does.
private struct Blow {
    /// What the boss loses.
    let damage: Int
    /// ``HeroAction/attack``, ``HeroAction/critical`` or ``HeroAction/miss``.
    let action: HeroAction
}

extension BossInPlay {
    fileprivate mutating func suffer(_ blow: Blow) {
        guard blow.damage > 0 else { return }
        health -= blow.damage
        exposedBlows = max(exposedBlows - 1, 0)
    }

    fileprivate mutating func gain(_ health: Int, _ events: inout [Event]) {
        let amount = min(health, maximumHealth - self.health)
        guard amount > 0 else { return }
        self.health += amount
        events.append(.bossHealed(boss: id, amount: amount))
    }
}

extension HeroInPlay {
    fileprivate mutating func beginTurn() {
        isGuarding = false
        isChallenging = false
        cooldown = max(cooldown - 1, 0)
    }
}
