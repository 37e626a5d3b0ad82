extension Adventure {
    /// What a potion gives, in percent of the health of whoever drinks it.
    private static let potionPercent = 35

    /// Hurts a hero who stands: what the hero's defence leaves, at least 1.
    ///
    /// On guard it is half of that, and a quarter of a blow that was announced.
    /// - Returns: what the hero lost.
    @discardableResult
    mutating func hurt(_ seat: Seat, byHundredths blow: Int, cause: Harm, _ events: inout [Event]) -> Int {
        let hero = heroes[seat.rawValue]
        var felt = max((blow - hero.strengths.defenceHundredths + 50) / 100, 1)
        if hero.isGuarding {
            felt = cause == .bossHeavyAttack ? (felt + 3) / 4 : (felt + 1) / 2
        }
        let amount = min(felt, hero.health)
        heroes[seat].health -= amount
        events.append(.heroHurt(hero: seat, amount: amount, cause: cause))
        if amount == hero.health {
            heroes[seat].isGuarding = false
            heroes[seat].isChallenging = false
            events.append(.heroDown(hero: seat))
        }
        return amount
    }

    /// Heals a hero who is hurt, by a share of the hero's health; one who is down gets up by it.
    mutating func heal(_ seat: Seat, percent: Int, source: Healing, by helper: Seat?, _ events: inout [Event]) {
        let hero = heroes[seat.rawValue]
        if hero.isDown {
            events.append(.heroRevived(hero: seat, helper: helper))
        }
        let amount = min(max(hero.maximumHealth * percent / 100, 1), hero.maximumHealth - hero.health)
        heroes[seat].health += amount
        events.append(.heroHealed(hero: seat, amount: amount, source: source))
    }

    /// Whether a hero may give a potion to another: nil when so.
    func refusal(ofPotionBy giver: Seat, to target: Seat) -> Refusal? {
        if heroes[giver].isDown { return .heroDown }
        if heroes[giver].potions == 0 { return .noPotionsLeft }
        if !seatsInPlay.contains(target) { return .unknownTarget }
        return heroes[target].health == heroes[target].maximumHealth ? .targetUnhurt : nil
    }

    /// Gives a potion for which there is no ``refusal(ofPotionBy:to:)``.
    mutating func givePotion(by giver: Seat, to target: Seat, _ events: inout [Event]) {
        heroes[giver].potions -= 1
        heal(target, percent: Self.potionPercent, source: .potion, by: giver, &events)
    }

    /// Adds to a hero's experience, and to its level as often as that is enough for one.
    mutating func gain(_ experience: Int, by seat: Seat, _ events: inout [Event]) {
        heroes[seat].experience = min(heroes[seat].experience + experience, Hero.mostCounted)
        let level = Hero.level(forExperience: heroes[seat].experience)
        while heroes[seat].level < level {
            heroes[seat].level += 1
            events.append(.heroLevelledUp(hero: seat, level: heroes[seat].level))
        }
    }
}
