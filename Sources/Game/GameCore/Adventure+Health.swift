extension Adventure {
    /// The health that a potion restores, in percent of the target's maximum health.
    private static let potionPercent = 35

    /// Deals a blow to a standing hero: its strength minus the hero's defence, at least 1.
    ///
    /// A guarding hero takes half of that damage, and a quarter of it from an announced blow.
    /// - Returns: the health that the hero lost.
    @discardableResult
    mutating func hurt(_ seat: Seat, byHundredths blow: Int, cause: DamageCause, _ events: inout [AdventureEvent])
        -> Int
    {
        let hero = heroes[seat.rawValue]
        var damage = max((blow - hero.strengths.defenceHundredths + 50) / 100, 1)
        if hero.isGuarding {
            damage = cause == .bossHeavyAttack ? (damage + 3) / 4 : (damage + 1) / 2
        }
        let amount = min(damage, hero.health)
        heroes[seat].health -= amount
        let inDanger = heroes[seat.rawValue].isInDanger && !hero.isInDanger
        events.append(.heroHurt(hero: seat, amount: amount, cause: cause, inDanger: inDanger))
        if amount == hero.health {
            heroes[seat].isGuarding = false
            heroes[seat].isChallenging = false
            events.append(.heroDown(hero: seat))
        }
        return amount
    }

    /// Heals a hurt hero by a percentage of its maximum health, and revives it if it is down.
    mutating func heal(
        _ seat: Seat,
        percent: Int,
        source: HealingSource,
        by helper: Seat?,
        _ events: inout [AdventureEvent]
    ) {
        let hero = heroes[seat.rawValue]
        if hero.isDown {
            events.append(.heroRevived(hero: seat, helper: helper))
        }
        let amount = min(max(hero.maximumHealth * percent / 100, 1), hero.maximumHealth - hero.health)
        heroes[seat].health += amount
        events.append(.heroHealed(hero: seat, amount: amount, source: source))
    }

    /// Returns the refusal of a potion from one hero to another, or nil if the hero may give it.
    func refusal(ofPotionBy giver: Seat, to target: Seat) -> AdventureRefusal? {
        if heroes[giver].isDown { return .heroDown }
        if heroes[giver].potions == 0 { return .noPotionsLeft }
        if !seatsInPlay.contains(target) { return .unknownTarget }
        return heroes[target].health == heroes[target].maximumHealth ? .targetUnhurt : nil
    }

    /// Gives a potion; ``refusal(ofPotionBy:to:)`` must be nil.
    mutating func givePotion(by giver: Seat, to target: Seat, _ events: inout [AdventureEvent]) {
        heroes[giver].potions -= 1
        heal(target, percent: Self.potionPercent, source: .potion, by: giver, &events)
    }

    /// Adds experience to a hero, and raises its level accordingly.
    mutating func gain(_ experience: Int, by seat: Seat, _ events: inout [AdventureEvent]) {
        heroes[seat].experience = min(heroes[seat].experience + experience, Hero.maxCount)
        let level = Hero.level(forExperience: heroes[seat].experience)
        while heroes[seat].level < level {
            heroes[seat].level += 1
            events.append(.heroLevelledUp(hero: seat, level: heroes[seat].level))
        }
    }
}
