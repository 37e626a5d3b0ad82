import GameCore

/// Tells an adventure's events as lines for people, each with the emoji of who it is about.
struct StoryTeller {
    private let heroes: [HeroID]
    private let boss: BossID?

    /// A teller of an adventure.
    init(of adventure: AdventureAnswer) {
        self.init(heroes: adventure.heroes.map(\.hero), boss: adventure.boss?.id)
    }

    /// A teller of an adventure of those heroes, by seat, and that boss.
    init(heroes: [HeroID], boss: BossID?) {
        self.heroes = heroes
        self.boss = boss
    }

    /// The line for an event; nil where another line tells it.
    func line(for event: Event) -> String? {
        switch event {
        case .adventureStarted(.journey): "🎒 The party sets out"
        case .adventureStarted(.bossFight): "⚔️ The fight begins"
        case .travelled(let place): "👣 The party reaches \(place.name)"
        case .lootFound(let hero, let item, let rarity): "\(name(hero)) finds \(item.name) (\(rarity.rawValue))"
        case .heroHurt(let hero, let amount, let cause): "\(name(hero)) loses \(amount) health: \(words(for: cause))"
        case .heroHealed(let hero, let amount, .rest): "\(name(hero)) rests and gains \(amount) health"
        case .heroHealed(let hero, let amount, .potion): "\(name(hero)) gains \(amount) health from a potion"
        case .heroDown(let hero): "💔 \(name(hero)) is down!"
        case .heroRevived(let hero, let helper?) where helper != hero: "💖 \(name(helper)) helps \(name(hero)) up"
        case .heroRevived(let hero, _): "💖 \(name(hero)) is up again"
        case .heroLevelledUp(let hero, let level): "✨ \(name(hero)) reaches level \(level)"
        case .bossAppeared(let boss): "\(boss.avatar) \(boss.name) appears!"
        case .turnStarted: nil
        case .actionTaken(let hero, let action, let damage): "\(name(hero)) \(words(for: action, damage: damage))"
        case .bossActed(let move): "\(bossName) \(words(for: move))"
        case .bossDefeated(let boss): "🏆 \(boss.avatar) \(boss.name) is defeated!"
        case .partyWiped: "☠️ The party has fallen"
        case .memberJoined(let hero): "\(name(hero)) joins the party"
        case .memberLeft(let hero): "\(name(hero)) leaves the party"
        case .adventureEnded(let outcome): "🏁 \(words(for: outcome))"
        }
    }

    private func name(_ seat: Seat) -> String {
        guard heroes.indices.contains(seat.rawValue) else { return "Somebody" }
        let hero = heroes[seat.rawValue]
        return "\(hero.avatar) \(hero.name)"
    }

    private var bossName: String {
        boss.map { "\($0.avatar) \($0.name)" } ?? "The boss"
    }

    private func words(for cause: Harm) -> String {
        switch cause {
        case .hazard: "a stumble on the way"
        case .encounter: "a skirmish"
        case .bossAttack: "the boss strikes"
        case .bossHeavyAttack: "the boss strikes with all its might"
        }
    }

    private func words(for action: HeroAction, damage: Int) -> String {
        switch action {
        case .attack: "attacks for \(damage)"
        case .guardUp: "is on guard"
        case .potion: "uses a potion"
        case .pass: "waits"
        }
    }

    private func words(for move: BossMove) -> String {
        switch move {
        case .attack: "attacks"
        case .windUp: "gathers its strength"
        case .heavyAttack: "strikes everybody"
        }
    }

    private func words(for outcome: Outcome) -> String {
        switch outcome {
        case .completed: "The journey is completed"
        case .bossDefeated: "The fight is won"
        case .partyWiped: "The adventure ends here"
        case .endedByOperator: "The game masters ended it"
        case .abandoned: "Nobody is left"
        case .expired: "The boss got away"
        }
    }
}
