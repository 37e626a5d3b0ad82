public import GameCore
public import LiveActivityContent

extension LocalizableText {
    /// An event as a sentence.
    /// - Parameters:
    ///   - event: what happened.
    ///   - adventure: the adventure after it, or later: it only lends its heroes' names.
    public init(telling event: Event, in adventure: Adventure) {
        self = Self.sentence(for: event, name: adventure.heroName(at:))
    }

    private static func sentence(for event: Event, name: (Seat) -> String) -> Self {
        switch event {
        case .adventureStarted(.journey): Phrase.partySetsOut()
        case .adventureStarted(.bossFight): Phrase.fightBegins()
        case .travelled(let place): Phrase.reachedPlace(place.name)
        case .lootFound(let hero, let item, .common): Phrase.foundCommon(name(hero), item.name)
        case .lootFound(let hero, let item, .rare): Phrase.foundRare(name(hero), item.name)
        case .lootFound(let hero, let item, .epic): Phrase.foundEpic(name(hero), item.name)
        case .heroHurt(let hero, let amount, .hazard): Phrase.hurtOnTheRoad(name(hero), String(amount))
        case .heroHurt(let hero, let amount, .encounter): Phrase.hurtInASkirmish(name(hero), String(amount))
        case .heroHurt(let hero, let amount, .bossAttack): Phrase.hurtByTheBoss(name(hero), String(amount))
        case .heroHurt(let hero, let amount, .bossHeavyAttack): Phrase.crushedByTheBoss(name(hero), String(amount))
        case .heroHealed(let hero, let amount, .rest): Phrase.rested(name(hero), String(amount))
        case .heroHealed(let hero, let amount, .potion): Phrase.gainedByPotion(name(hero), String(amount))
        case .heroDown(let hero): Phrase.heroIsDown(name(hero))
        case .heroRevived(let hero, nil): Phrase.heroIsUpAgain(name(hero))
        case .heroRevived(let hero, let helper?): Phrase.helpedUp(name(helper), name(hero))
        case .heroLevelledUp(let hero, let level): Phrase.reachedLevel(name(hero), String(level))
        case .bossAppeared(let boss): Phrase.bossAppeared(boss.name)
        case .turnStarted(_, let hero?): Phrase.turnOfHero(name(hero))
        case .turnStarted(_, nil): Phrase.turnOfTheBoss()
        case .actionTaken(let hero, .attack, let damage): Phrase.struckTheBoss(name(hero), String(damage))
        case .actionTaken(let hero, .guardUp, _): Phrase.isOnGuard(name(hero))
        case .actionTaken(let hero, .potion, _): Phrase.usesAPotion(name(hero))
        case .actionTaken(let hero, .pass, _): Phrase.waits(name(hero))
        case .bossActed(.attack): Phrase.bossAttacks()
        case .bossActed(.windUp): Phrase.bossWindsUp()
        case .bossActed(.heavyAttack): Phrase.bossAttacksHeavily()
        case .bossDefeated(let boss): Phrase.bossDefeated(boss.name)
        case .partyWiped: Phrase.partyHasFallen()
        case .memberJoined(let hero): Phrase.joined(name(hero))
        case .memberLeft(let hero): Phrase.left(name(hero))
        case .adventureEnded(.completed): Phrase.journeyCompleted()
        case .adventureEnded(.bossDefeated): Phrase.fightIsWon()
        case .adventureEnded(.partyWiped): Phrase.partyHasFallen()
        case .adventureEnded(.endedByOperator): Phrase.endedByOperator()
        case .adventureEnded(.abandoned): Phrase.nobodyIsLeft()
        case .adventureEnded(.expired): Phrase.bossGotAway()
        }
    }
}

extension Event {
    /// Whether a card should say it: whose turn it is stands beside the sentence already.
    ///
    /// Whoever makes a ``AdventureAttributes/ContentState`` gives it the last event for which this is true.
    public var isTold: Bool {
        switch self {
        case .turnStarted: false
        case .adventureStarted, .travelled, .lootFound, .heroHurt, .heroHealed, .heroDown, .heroRevived,
            .heroLevelledUp, .bossAppeared, .actionTaken, .bossActed, .bossDefeated, .partyWiped, .memberJoined,
            .memberLeft, .adventureEnded:
            true
        }
    }
}
