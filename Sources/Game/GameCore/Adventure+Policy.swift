extension Adventure {
    /// A hero below this share of its health is worth a potion.
    private static let lowHealthPercent = 30
    /// A hero below this share of its health is worth a signature move that heals.
    private static let hurtPercent = 60
    /// A hero below this share of its health guards against what is announced; the stronger ones rather strike.
    private static let carefulPercent = 60

    /// What a hero does whose player lets the turn pass.
    func commandByPolicy(of seat: Seat, against boss: BossInPlay) -> Command {
        switch heroes[seat].policy {
        case .automatic: automaticCommand(for: seat, against: boss)
        case .guard: .guardUp
        case .skip: .pass
        }
    }

    /// What the moment asks of a hero: the first of these that applies.
    ///
    /// - a potion for whoever is down or below 30 %, if the hero has one, the smallest share of health first, of equals the
    ///   lower seat; when it is the hero's signature move to heal, that move saves the potion,
    /// - the signature move, when it is ready and does any good,
    /// - the guard, against an announced blow that the hero could not well take,
    /// - a strike.
    private func automaticCommand(for seat: Seat, against boss: BossInPlay) -> Command {
        let hero = heroes[seat.rawValue]
        let helps = hero.cooldown == 0 && signatureMoveHelps(seat, against: boss)
        if let neediest = neediest(below: Self.lowHealthPercent) {
            if helps, hero.strengths.effect.heals(heroes[neediest]) { return .special }
            if hero.potions > 0 { return .potion(target: neediest) }
        }
        if helps { return .special }
        if isInDanger(seat, from: boss) { return .guardUp }
        return .attack
    }

    /// Whoever has the smallest share of health below a limit, of equals the lower seat; nil when nobody is below it.
    func neediest(below percent: Int) -> Seat? {
        var neediest: Seat?
        for seat in seatsInPlay where heroes[seat].health * 100 < heroes[seat].maximumHealth * percent {
            if let best = neediest, !heroes[seat].isWorseOff(than: heroes[best]) { continue }
            neediest = seat
        }
        return neediest
    }

    private func signatureMoveHelps(_ seat: Seat, against boss: BossInPlay) -> Bool {
        switch heroes[seat].strengths.effect {
        case .blows, .guardedBlow: true
        case .interruptingBlow, .guardAll: boss.announcement != nil
        case .healAll: isPartyHurt
        case .healNeediest: neediest(below: Self.hurtPercent) != nil
        case .challenge: standing.count > 1 && heroes[seat].health * 2 > heroes[seat].maximumHealth
        case .weaken: boss.weakenedTurns == 0
        case .expose: boss.exposedBlows == 0
        }
    }

    /// Whether all who stand together lack more than a quarter of their health.
    private var isPartyHurt: Bool {
        var health = 0
        var maximum = 0
        for seat in standing {
            health += heroes[seat].health
            maximum += heroes[seat].maximumHealth
        }
        return health * 4 < maximum * 3
    }

    private func isInDanger(_ seat: Seat, from boss: BossInPlay) -> Bool {
        let isTarget =
            switch boss.announcement {
            case nil: false
            case .heavyAttack: true
            case .crush(let target): target == seat
            }
        return isTarget && heroes[seat].health * 100 < heroes[seat].maximumHealth * Self.carefulPercent
    }
}

extension SignatureMove.Effect {
    /// Whether it gives health to a hero who needs it.
    fileprivate func heals(_ hero: HeroInPlay) -> Bool {
        switch self {
        case .healNeediest: true
        case .healAll: !hero.isDown
        case .blows, .interruptingBlow, .guardedBlow, .guardAll, .challenge, .weaken, .expose: false
        }
    }
}

extension HeroInPlay {
    /// Whether a smaller share of health is left; exact, without fractions.
    fileprivate func isWorseOff(than other: Self) -> Bool {
        health * other.maximumHealth < other.health * maximumHealth
    }
}
