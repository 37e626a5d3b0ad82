extension Adventure {
    /// The maximum number of turns; after the last one the fight is over and the boss escapes.
    ///
    /// The limit is above the longest fight of eight heroes who play by policy, so only a party that neither wins nor
    /// loses reaches it.
    public static let maxTurns = 400
    /// The reduction of a weakened boss's damage, in percent.
    public static let weakenedPercent = 30
    /// The increase of the damage of blows at an exposed boss, in percent.
    public static let exposedPercent = 40

    /// The health of a hero who is revived without a potion, in percent of its maximum health.
    private static let revivalPercent = 20
    /// The damage of a critical hit, in percent of an ordinary one.
    private static let criticalPercent = 175
    /// The damage of a sweep, in percent of an attack.
    private static let sweepPercent = 45
    /// The damage of a drain, in percent of an attack; the boss gains half of it as health.
    private static let drainPercent = 75
    /// The health that the boss gains by mending itself, in percent of its maximum health.
    private static let mendPercent = 5
    /// The damage of the announced blow at all heroes, in percent of an attack.
    private static let heavyPercent = 85
    /// The damage of the announced blow at one hero, in percent of an attack.
    private static let crushPercent = 160
    /// The experience of each hero when the boss is defeated.
    static let victoryExperience = 120

    /// Plays the open turn: the boss's turn, or by policy the turn of a hero whose player has not sent a command.
    mutating func playTurn(_ events: inout [AdventureEvent]) {
        var fight = openFight
        guard let turn = fight.turn else { preconditionFailure("a running fight must have an open turn") }
        if let hero = turn.hero {
            perform(commandByPolicy(of: hero, against: fight.boss), by: hero, against: &fight.boss, &events)
        } else {
            playBossTurn(&fight.boss, &events)
        }
        close(turn, of: &fight, &events)
        scene = .bossFight(fight)
    }

    /// Performs a command.
    ///
    /// All commands except the choice of a policy resolve the hero's open turn, which counts as a tick.
    mutating func performInFight(_ command: Command, by seat: Seat, _ events: inout [AdventureEvent])
        throws(AdventureRefusal)
    {
        if case .policy(let policy) = command {
            heroes[seat].policy = policy
            events.append(.policyChosen(hero: seat, policy: policy))
            return
        }
        var fight = openFight
        guard !heroes[seat].isDown else { throw .heroDown }
        guard let turn = fight.turn, turn.hero == seat else { throw .notYourTurn }
        if let refusal = inTurnRefusal(of: command, by: seat) { throw refusal }
        tick += 1
        perform(command, by: seat, against: &fight.boss, &events)
        close(turn, of: &fight, &events)
        scene = .bossFight(fight)
    }

    /// Opens the turn after the last one, or the first turn of the fight.
    ///
    /// Faster fighters act earlier; at equal speed heroes act before the boss, and lower seats before higher ones.
    /// Heroes who are down are skipped. After the slowest fighter the order starts again with the fastest.
    mutating func openTurn(number: Int, after last: Turn?, of fight: inout BossFight, _ events: inout [AdventureEvent])
    {
        let bossSpeed = fight.boss.speed
        func rank(_ candidate: Seat?) -> Int {
            let speed = candidate.map { heroes[$0].strengths.speed } ?? bossSpeed
            return (candidate?.rawValue ?? Self.maxHeroes) - speed * (Self.maxHeroes + 1)
        }
        let lastRank = last.map { rank($0.hero) } ?? Int.min
        // `next` follows the last fighter; `first`, the fastest, is next if the last fighter was the slowest.
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
        guard case .bossFight(let fight) = scene else { preconditionFailure("only a boss fight has turns") }
        return fight
    }

    private mutating func close(_ turn: Turn, of fight: inout BossFight, _ events: inout [AdventureEvent]) {
        // The raid's home decides the phases of a common boss.
        while fight.raid == nil, fight.boss.advancePhase() {
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
        } else if turn.number >= Self.maxTurns, fight.raid == nil {
            fight.turn = nil
            finish(.expired, &events)
        } else {
            openTurn(number: turn.number + 1, after: turn, of: &fight, &events)
        }
    }
}

// MARK: - Hero actions

extension Adventure {
    /// Returns the refusal of a command in the hero's own turn, or nil if the command is accepted.
    private func inTurnRefusal(of command: Command, by seat: Seat) -> AdventureRefusal? {
        switch command {
        case .potion(let target):
            refusal(ofPotionBy: seat, to: target ?? seat)
        case .revive(let target):
            if !seatsInPlay.contains(target) { .unknownTarget } else { heroes[target].isDown ? nil : .targetNotDown }
        case .special:
            if heroes[seat].cooldown > 0 {
                .onCooldown
            } else if healsNoHero(heroes[seat].strengths.effect) {
                .targetUnhurt
            } else {
                nil
            }
        case .attack, .guardUp, .flee, .pass, .policy:
            nil
        }
    }

    /// Returns whether a signature move only heals, and no hero needs it.
    private func healsNoHero(_ effect: SignatureMove.Effect) -> Bool {
        switch effect {
        case .healAll: standing.allSatisfy { heroes[$0].health == heroes[$0].maximumHealth }
        case .healMostWounded: mostWounded(below: 100) == nil
        case .blows, .interruptingBlow, .guardedBlow, .guardAll, .challenge, .weaken, .expose: false
        }
    }

    private mutating func perform(
        _ command: Command,
        by seat: Seat,
        against boss: inout BossInPlay,
        _ events: inout [AdventureEvent]
    ) {
        switch command {
        case .attack:
            let blow = strike(boss, by: seat, percent: 100)
            boss.take(blow)
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
            preconditionFailure("the choice of a policy does not resolve a turn")
        }
    }

    /// Rolls a hero's blow at the boss, without applying it.
    private mutating func strike(_ boss: BossInPlay, by seat: Seat, percent: Int) -> Blow {
        let strengths = heroes[seat].strengths
        let roll = generator.number(below: 100)
        if roll < strengths.heroClass.missPercent { return Blow(damage: 0, action: .miss) }
        let isCritical = roll >= 100 - strengths.heroClass.criticalPercent
        var elementPercent = boss.entry.damagePercent(for: strengths.element)
        // A lone hero of the element that the boss resists has no companion of another one.
        if rules.adjustsBossToLoneHero, heroes.count == 1 { elementPercent = max(elementPercent, 100) }
        let factor = percent * elementPercent
        var hundredths = generator.spread(strengths.attackHundredths) * factor / 10_000
        if isCritical { hundredths = hundredths * Self.criticalPercent / 100 }
        if boss.exposedBlows > 0 { hundredths = hundredths * (100 + Self.exposedPercent) / 100 }
        let damage = max((hundredths + 50) / 100, 1)
        // The health of a common boss as of now is not known.
        return Blow(
            damage: boss.dealt == nil ? min(damage, boss.health) : damage,
            action: isCritical ? .critical : .attack
        )
    }

    private mutating func useSignatureMove(
        by seat: Seat,
        against boss: inout BossInPlay,
        _ events: inout [AdventureEvent]
    ) {
        let strengths = heroes[seat].strengths
        heroes[seat].cooldown = strengths.cooldown
        var damage = 0
        var hindrance: Hindrance?
        switch strengths.effect {
        case .blows(let count, let percent):
            for _ in 0..<count where boss.health > 0 {
                let blow = strike(boss, by: seat, percent: percent)
                boss.take(blow)
                damage += blow.damage
            }
        case .interruptingBlow(let percent):
            let blow = strike(boss, by: seat, percent: percent)
            boss.take(blow)
            if blow.damage > 0, boss.announcement != nil {
                boss.announcement = nil
                hindrance = .interrupted
            }
            damage = blow.damage
        case .guardedBlow(let percent):
            let blow = strike(boss, by: seat, percent: percent)
            boss.take(blow)
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
        case .healAll, .healMostWounded:
            break
        }
        events.append(.actionTaken(hero: seat, action: .special, damage: damage))
        if let hindrance { events.append(.bossHindered(boss: boss.id, by: hindrance)) }
        // Healing follows the action in the log.
        switch strengths.effect {
        case .healAll(let percent):
            for companion in standing where heroes[companion].health < heroes[companion].maximumHealth {
                heal(companion, percent: percent, source: .special, by: seat, &events)
            }
        case .healMostWounded(let percent):
            if let target = mostWounded(below: 100) {
                heal(target, percent: percent, source: .special, by: seat, &events)
            }
        case .blows, .interruptingBlow, .guardedBlow, .guardAll, .challenge, .weaken, .expose:
            break
        }
    }
}

// MARK: - Boss moves

extension Adventure {
    private mutating func playBossTurn(_ boss: inout BossInPlay, _ events: inout [AdventureEvent]) {
        switch boss.announcement {
        case .heavyAttack:
            boss.announcement = nil
            hitAll(with: .heavyAttack, percent: Self.heavyPercent, of: boss, cause: .bossHeavyAttack, &events)
        case .crush(let target):
            boss.announcement = nil
            events.append(.bossActed(move: .crush))
            hit(challenger ?? target, with: boss.attack * Self.crushPercent, of: boss, cause: .bossHeavyAttack, &events)
        case nil:
            makeRandomMove(&boss, &events)
        }
        boss.weakenedTurns = max(boss.weakenedTurns - 1, 0)
    }

    private mutating func makeRandomMove(_ boss: inout BossInPlay, _ events: inout [AdventureEvent]) {
        let phase = boss.currentPhase
        switch generator.choice(of: boss.dealt == nil ? phase.moves : phase.raidMoves) {
        case .attack:
            events.append(.bossActed(move: .attack))
            hitRandomHeroes(percent: 100, of: boss, &events)
        case .sweep:
            hitAll(with: .sweep, percent: Self.sweepPercent, of: boss, cause: .bossAttack, &events)
        case .drain:
            events.append(.bossActed(move: .drain))
            let lost = hitRandomHeroes(percent: Self.drainPercent, of: boss, &events)
            boss.heal((lost + 1) / 2, &events)
        case .mend:
            events.append(.bossActed(move: .mend))
            boss.heal(boss.maximumHealth * Self.mendPercent / 100, &events)
        case .windUp:
            boss.announcement = .heavyAttack
            events.append(.bossActed(move: .windUp))
        case .takeAim:
            let target = randomTarget()
            boss.announcement = .crush(target)
            events.append(.bossActed(move: .takeAim, target: target))
        case .heavyAttack, .crush:
            preconditionFailure(
                "boss '\(boss.id)' must announce its heavy moves, but its phase lists them: \(boss.currentPhase.moves)"
            )
        }
    }

    /// Returns the target of a blow at a single hero: the challenger if there is one, otherwise a random standing hero.
    private mutating func randomTarget() -> Seat {
        challenger ?? generator.choice(of: standing)
    }

    /// The hero who draws all blows at single heroes, if any.
    private var challenger: Seat? {
        standing.first { heroes[$0].isChallenging }
    }

    /// Deals one blow for every three heroes (rounded randomly), at least one, each at a random target.
    /// - Returns: the health that the heroes lost in total.
    @discardableResult
    private mutating func hitRandomHeroes(percent: Int, of boss: BossInPlay, _ events: inout [AdventureEvent]) -> Int {
        let blows = max((heroes.count + generator.number(below: 3)) / 3, 1)
        var lost = 0
        for _ in 0..<blows where !standing.isEmpty {
            lost += hit(randomTarget(), with: boss.attack * percent, of: boss, cause: .bossAttack, &events)
        }
        return lost
    }

    /// Deals a blow at every standing hero.
    private mutating func hitAll(
        with move: BossMove,
        percent: Int,
        of boss: BossInPlay,
        cause: DamageCause,
        _ events: inout [AdventureEvent]
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
        cause: DamageCause,
        _ events: inout [AdventureEvent]
    ) -> Int {
        let weakened = boss.weakenedTurns > 0 ? 100 - Self.weakenedPercent : 100
        let hundredths = strengthPercents * boss.currentPhase.attackPercent * weakened / 10_000
        return hurt(victim, byHundredths: generator.spread(hundredths), cause: cause, &events)
    }
}

/// The result of a hero's blow.
private struct Blow {
    /// The health that the boss loses.
    let damage: Int
    /// ``HeroAction/attack``, ``HeroAction/critical`` or ``HeroAction/miss``.
    let action: HeroAction
}

extension BossInPlay {
    fileprivate mutating func take(_ blow: Blow) {
        guard blow.damage > 0 else { return }
        if let dealt { self.dealt = dealt + blow.damage } else { health -= blow.damage }
        exposedBlows = max(exposedBlows - 1, 0)
    }

    fileprivate mutating func heal(_ health: Int, _ events: inout [AdventureEvent]) {
        let amount = min(health, maximumHealth - self.health)
        guard amount > 0, dealt == nil else { return }
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
