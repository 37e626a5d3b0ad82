extension Adventure {
    /// A fight that has had so many turns is over, and the boss gets away.
    ///
    /// Twice as many as the longest fight of eight heroes who play by themselves; only a party that neither wins nor
    /// falls comes so far.
    public static let mostTurns = 240

    /// A hero below this share of its health is worth a potion to the policy.
    private static let lowHealthPercent = 30
    /// Strikes are between these shares of their strength.
    private static let spreadPercent = 80...120
    /// What the heavy attack takes from every hero who stands, in percent of an ordinary attack.
    private static let heavyPercent = 80
    /// The boss winds up in one of so many turns.
    private static let turnsToWindUp = 3
    /// What each hero learns from a boss's defeat.
    private static let victoryExperience = 100

    /// Plays the open turn to its end: the boss's, or that of a hero whose player has let the deadline pass.
    mutating func playTurn(_ events: inout [Event]) {
        guard case .bossFight(let fight) = scene, let turn = fight.turn else {
            preconditionFailure("a running fight has an open turn")
        }
        if let hero = turn.hero {
            perform(policy(of: hero), by: hero, &events)
        } else {
            playBoss(&events)
        }
        close(turn, &events)
    }

    /// Carries out a command: it resolves the hero's open turn at once, and so counts as a tick.
    mutating func carryOutInTurn(_ command: Command, by seat: Seat, _ events: inout [Event]) throws(Refusal) {
        guard !heroes[seat].isDown else { throw .heroDown }
        guard let turn, turn.hero == seat else { throw .notYourTurn }
        if case .potion(let target) = command, let refusal = refusal(ofPotionBy: seat, to: target ?? seat) {
            throw refusal
        }
        tick += 1
        perform(command, by: seat, &events)
        close(turn, &events)
    }

    /// What a hero does whose player does not say: a potion for whoever needs it most, else a strike.
    ///
    /// Whoever is down or below 30 % needs it, and the smaller the share of health that is left the more; where shares
    /// are equal the lower seat comes first.
    func policy(of hero: Seat) -> Command {
        guard heroes[hero].potions > 0 else { return .attack }
        var neediest: Seat?
        for seat in seatsInPlay where heroes[seat].health * 100 < heroes[seat].maximumHealth * Self.lowHealthPercent {
            if let best = neediest, !heroes[seat].isWorseOff(than: heroes[best]) { continue }
            neediest = seat
        }
        return neediest.map(Command.potion) ?? .attack
    }

    /// Opens the next turn after another one's, or the first turn of the fight.
    ///
    /// The faster acts earlier; of equals a hero before the boss and the lower seat before the higher. Who is down is
    /// passed over. After the slowest the fastest begins again.
    mutating func openTurn(number: Int, after last: Turn?, _ events: inout [Event]) {
        guard case .bossFight(var fight) = scene else { preconditionFailure("only a fight has turns") }
        let candidates: [Seat?] = standing + [nil]
        func rank(_ candidate: Seat?) -> Int {
            let speed = candidate.map { heroes[$0].speed } ?? fight.boss.speed
            return (candidate?.rawValue ?? Self.mostHeroes) - speed * (Self.mostHeroes + 1)
        }
        let lastRank = last.map { rank($0.hero) } ?? Int.min
        let later = candidates.filter { rank($0) > lastRank }
        // The boss is always a candidate, so there is one.
        let next = (later.isEmpty ? candidates : later).min { rank($0) < rank($1) } ?? nil

        if let next {
            heroes[next].isGuarding = false
        }
        fight.turn = Turn(number: number, hero: next)
        scene = .bossFight(fight)
        events.append(.turnStarted(turn: number, hero: next))
    }

    private mutating func perform(_ command: Command, by seat: Seat, _ events: inout [Event]) {
        switch command {
        case .attack:
            strike(by: seat, &events)
        case .guardUp:
            heroes[seat].isGuarding = true
            events.append(.actionTaken(hero: seat, action: .guardUp, damage: 0))
        case .potion(let target):
            events.append(.actionTaken(hero: seat, action: .potion, damage: 0))
            givePotion(by: seat, to: target ?? seat, &events)
        case .pass:
            events.append(.actionTaken(hero: seat, action: .pass, damage: 0))
        }
    }

    private mutating func strike(by seat: Seat, _ events: inout [Event]) {
        guard case .bossFight(var fight) = scene else { preconditionFailure("only a fight has a boss") }
        let damage = min(spread(heroes[seat].attack), fight.boss.health)
        fight.boss.health -= damage
        scene = .bossFight(fight)
        events.append(.actionTaken(hero: seat, action: .attack, damage: damage))
    }

    private mutating func playBoss(_ events: inout [Event]) {
        guard case .bossFight(var fight) = scene else { preconditionFailure("only a fight has a boss") }
        if fight.boss.isWindingUp {
            fight.boss.isWindingUp = false
            events.append(.bossActed(move: .heavyAttack))
            for victim in standing {
                let blow = spread(fight.boss.attack * Self.heavyPercent / 100)
                hurt(victim, by: blow, cause: .bossHeavyAttack, &events)
            }
        } else if generator.happens(onceIn: Self.turnsToWindUp) {
            fight.boss.isWindingUp = true
            events.append(.bossActed(move: .windUp))
        } else {
            events.append(.bossActed(move: .attack))
            let victim = generator.choice(of: standing)
            hurt(victim, by: spread(fight.boss.attack), cause: .bossAttack, &events)
        }
        scene = .bossFight(fight)
    }

    private mutating func close(_ turn: Turn, _ events: inout [Event]) {
        if let boss, boss.health == 0 {
            events.append(.bossDefeated(boss: boss.id))
            for seat in seatsInPlay {
                gain(Self.victoryExperience, by: seat, &events)
            }
            finish(.bossDefeated, &events)
            return
        }
        finishIfWiped(&events)
        guard status == .running else { return }
        if turn.number == Self.mostTurns {
            finish(.expired, &events)
        } else {
            openTurn(number: turn.number + 1, after: turn, &events)
        }
    }

    private mutating func spread(_ strength: Int) -> Int {
        max(strength * generator.number(in: Self.spreadPercent) / 100, 1)
    }
}

extension HeroInPlay {
    /// Whether a smaller share of health is left; exact, without fractions.
    fileprivate func isWorseOff(than other: Self) -> Bool {
        health * other.maximumHealth < other.health * maximumHealth
    }
}
