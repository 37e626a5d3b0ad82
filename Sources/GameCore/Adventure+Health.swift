extension Adventure {
    /// What a potion gives, in percent of the health of whoever drinks it.
    private static let potionPercent = 40
    /// What a hero must gather for a level; every level costs the same.
    private static let experiencePerLevel = 100

    /// Hurts a hero who stands: what the hero's defence leaves, half of it on guard, at least 1.
    mutating func hurt(_ seat: Seat, by blow: Int, cause: Harm, _ events: inout [Event]) {
        let hero = heroes[seat]
        let felt = max(blow - hero.defence, 1)
        let amount = min(hero.isGuarding ? (felt + 1) / 2 : felt, hero.health)
        heroes[seat].health -= amount
        events.append(.heroHurt(hero: seat, amount: amount, cause: cause))
        if heroes[seat].isDown {
            heroes[seat].isGuarding = false
            events.append(.heroDown(hero: seat))
        }
    }

    /// Heals a hero who is hurt, by a share of the hero's health; one who is down gets up by it.
    mutating func heal(_ seat: Seat, percent: Int, source: Healing, by helper: Seat?, _ events: inout [Event]) {
        let hero = heroes[seat]
        if hero.isDown {
            events.append(.heroRevived(hero: seat, helper: helper))
        }
        let amount = min(hero.maximumHealth * percent / 100, hero.maximumHealth - hero.health)
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
        let before = heroes[seat].experience
        heroes[seat].experience += experience
        let levels = heroes[seat].experience / Self.experiencePerLevel - before / Self.experiencePerLevel
        for _ in 0..<min(levels, Hero.highestLevel - heroes[seat].level) {
            heroes[seat].level += 1
            events.append(.heroLevelledUp(hero: seat, level: heroes[seat].level))
        }
    }
}
