extension Adventure {
    /// The health below which a hero gets a potion, in percent.
    private static let lowHealthPercent = 30
    /// The health below which a signature move heals a hero, in percent.
    private static let hurtPercent = 60
    /// The health below which a hero guards against an announced blow, in percent; healthier heroes attack.
    private static let carefulPercent = 60

    /// Returns the command that a hero's policy chooses for its turn.
    func commandByPolicy(of seat: Seat, against boss: BossInPlay) -> Command {
        switch heroes[seat].policy {
        case .automatic: automaticCommand(for: seat, against: boss)
        case .guard: .guardUp
        case .skip: .pass
        }
    }

    /// Returns the command of the automatic policy: the first applicable one of this list.
    ///
    /// 1. for the most wounded hero below 30 % of its health: the signature move, if it is ready, useful and heals that
    ///    hero; otherwise a potion, if the acting hero has one,
    /// 2. the signature move, if it is ready and useful,
    /// 3. guarding, against an announced blow that would hit a weak hero,
    /// 4. an attack.
    private func automaticCommand(for seat: Seat, against boss: BossInPlay) -> Command {
        let hero = heroes[seat.rawValue]
        let isUseful = hero.cooldown == 0 && isSignatureMoveUseful(seat, against: boss)
        if let target = mostWounded(below: Self.lowHealthPercent) {
            if isUseful, hero.strengths.effect.heals(heroes[target]) { return .special }
            if hero.potions > 0 { return .potion(target: target) }
        }
        if isUseful { return .special }
        if shouldGuard(seat, against: boss) { return .guardUp }
        return .attack
    }

    /// Returns the hero with the smallest fraction of its health below a limit; at equal fractions the lower seat.
    func mostWounded(below percent: Int) -> Seat? {
        var mostWounded: Seat?
        for seat in seatsInPlay where heroes[seat].health * 100 < heroes[seat].maximumHealth * percent {
            if let other = mostWounded, !heroes[seat].isMoreWounded(than: heroes[other]) { continue }
            mostWounded = seat
        }
        return mostWounded
    }

    private func isSignatureMoveUseful(_ seat: Seat, against boss: BossInPlay) -> Bool {
        switch heroes[seat].strengths.effect {
        case .blows, .guardedBlow: true
        case .interruptingBlow, .guardAll: boss.announcement != nil
        case .healAll: isPartyHurt
        case .healMostWounded: mostWounded(below: Self.hurtPercent) != nil
        case .challenge: standing.count > 1 && heroes[seat].health * 2 > heroes[seat].maximumHealth
        case .weaken: boss.weakenedTurns == 0
        case .expose: boss.exposedBlows == 0
        }
    }

    /// Whether the standing heroes have lost more than a quarter of their total health.
    private var isPartyHurt: Bool {
        var health = 0
        var maximum = 0
        for seat in standing {
            health += heroes[seat].health
            maximum += heroes[seat].maximumHealth
        }
        return health * 4 < maximum * 3
    }

    private func shouldGuard(_ seat: Seat, against boss: BossInPlay) -> Bool {
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
    /// Returns whether the effect can heal a hero who needs it.
    fileprivate func heals(_ hero: HeroInPlay) -> Bool {
        switch self {
        case .healMostWounded: true
        case .healAll: !hero.isDown
        case .blows, .interruptingBlow, .guardedBlow, .guardAll, .challenge, .weaken, .expose: false
        }
    }
}

extension HeroInPlay {
    /// Returns whether this hero has a smaller fraction of its health left, compared exactly in integers.
    fileprivate func isMoreWounded(than other: Self) -> Bool {
        health * other.maximumHealth < other.health * maximumHealth
    }
}
