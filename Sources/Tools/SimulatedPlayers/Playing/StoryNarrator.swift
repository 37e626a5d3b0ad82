import GameCore
import RangersClient

/// Formats an adventure's events as lines for people, each with the emoji of its subject.
struct StoryNarrator {
    private let heroes: [HeroID]
    private let boss: BossID?

    /// Creates a narrator for an adventure.
    init(of adventure: AdventureResponse) {
        self.init(heroes: adventure.heroes.map(\.hero.id), boss: adventure.boss?.id)
    }

    /// Creates a narrator for heroes, by seat, and a boss.
    init(heroes: [HeroID], boss: BossID?) {
        self.heroes = heroes
        self.boss = boss
    }

    /// Returns an event's line; nil for events without one.
    func line(for event: AdventureEvent) -> String? {
        switch event {
        case .adventureStarted(.journey): "🎒 The party sets out"
        case .adventureStarted(.bossFight): "⚔️ The fight begins"
        case .adventureStarted(.raid): "⚔️ The party joins the raid"
        case .storyTold(let beat): "📖 \(beat.narration)"
        case .travelled(let location): "👣 The party reaches \(location.name)"
        case .lootFound(let hero, let item, let rarity): "\(name(hero)) finds \(item.name) (\(rarity.rawValue))"
        case .hazardStruck(let hazard): "⚠️ \(hazard.narration)"
        case .restTaken(let rest): "⛺ \(rest.narration)"
        case .encounterMet(let foe): "\(name(foe)) stands in the way"
        case .foeStruck(let foe, let damage): "The party strikes \(name(foe)) for \(damage)"
        case .encounterWon(let foe): "\(name(foe)) gives way"
        case .heroHurt(let hero, let amount, let cause, _): "\(name(hero)) loses \(amount) health: \(text(for: cause))"
        case .heroHealed(let hero, let amount, let source): "\(name(hero)) gains \(amount) health \(text(for: source))"
        case .heroDown(let hero): "💔 \(name(hero)) is down!"
        case .heroRevived(let hero, let helper?) where helper != hero: "💖 \(name(helper)) helps \(name(hero)) up"
        case .heroRevived(let hero, _): "💖 \(name(hero)) is up again"
        case .heroLevelledUp(let hero, let level): "✨ \(name(hero)) reaches level \(level)"
        case .bossAppeared(let boss): "\(boss.avatar) \(boss.name) appears!"
        case .turnStarted: nil
        case .actionTaken(let hero, let action, let damage):
            "\(name(hero)) \(text(for: action, of: hero, damage: damage))"
        case .bossActed(.takeAim, let target?): "\(bossName) takes aim at \(name(target))"
        case .bossActed(let move, _): "\(bossName) \(text(for: move))"
        case .bossHealed(let boss, let amount): "\(boss.avatar) \(boss.name) gains \(amount) health"
        case .bossEnraged(let boss, _): "😡 \(boss.avatar) \(boss.name) is enraged!"
        case .raidProgressed(let health, let maximum): "\(bossName) has \(health) of \(maximum) health left"
        case .bossHindered(let boss, _): "\(boss.avatar) \(boss.name) is thrown off balance"
        case .bossDefeated(let boss): "🏆 \(boss.avatar) \(boss.name) is defeated!"
        case .partyWiped: "☠️ The party has fallen"
        case .memberJoined(let hero): "\(name(hero)) joins the party"
        case .memberLeft(let hero): "\(name(hero)) leaves the party"
        case .policyChosen(let hero, let policy): "\(name(hero)) \(text(for: policy)) when left alone"
        case .adventureEnded(let outcome): "🏁 \(text(for: outcome))"
        }
    }

    private func name(_ seat: Seat) -> String {
        guard heroes.indices.contains(seat.rawValue) else { return "Somebody" }
        let hero = heroes[seat.rawValue]
        return "\(hero.avatar) \(hero.name)"
    }

    private func name(_ foe: FoeID) -> String {
        RegionCatalogue.foe(foe).map { "\($0.avatar) \($0.name)" } ?? foe.name
    }

    private var bossName: String {
        boss.map { "\($0.avatar) \($0.name)" } ?? "The boss"
    }

    private func text(for cause: DamageCause) -> String {
        switch cause {
        case .hazard: "the way is hard"
        case .encounter: "a skirmish"
        case .bossAttack: "the boss strikes"
        case .bossHeavyAttack: "the boss strikes with all its might"
        }
    }

    private func text(for source: HealingSource) -> String {
        switch source {
        case .rest: "by resting"
        case .potion: "from a potion"
        case .special: "from a signature move"
        case .revival: "from a helping hand"
        }
    }

    private func text(for action: HeroAction, of hero: Seat, damage: Int) -> String {
        switch action {
        case .attack: "attacks for \(damage)"
        case .critical: "hits hard for \(damage)"
        case .miss: "misses"
        case .guardUp: "is on guard"
        case .special: "uses \(signatureMoveName(of: hero))" + (damage > 0 ? " for \(damage)" : "")
        case .potion: "uses a potion"
        case .revive: "reaches out to a companion"
        case .pass: "waits"
        case .fleeRefused: "tries to run, but the boss stands in the way"
        }
    }

    private func signatureMoveName(of seat: Seat) -> String {
        let move = heroes.indices.contains(seat.rawValue) ? HeroCatalogue[heroes[seat.rawValue]]?.signatureMove : nil
        return move?.name ?? "a signature move"
    }

    private func text(for move: BossMove) -> String {
        switch move {
        case .attack: "attacks"
        case .sweep: "strikes at everybody"
        case .drain: "drains the strength of its prey"
        case .mend: "mends its wounds"
        case .windUp: "gathers its strength"
        case .heavyAttack: "strikes everybody with all its might"
        case .takeAim: "takes aim"
        case .crush: "strikes as announced"
        }
    }

    private func text(for policy: TurnPolicy) -> String {
        switch policy {
        case .automatic: "does what the moment asks for"
        case .guard: "guards"
        case .skip: "waits"
        }
    }

    private func text(for outcome: AdventureOutcome) -> String {
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
