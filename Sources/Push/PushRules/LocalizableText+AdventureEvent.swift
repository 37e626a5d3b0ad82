public import GameCore
public import LiveActivityContent

extension LocalizableText {
    /// Creates the sentence that describes an event.
    /// - Parameters:
    ///   - event: the event.
    ///   - adventure: the adventure after the event, or later; only the names of its heroes and their moves are used.
    public init(describing event: AdventureEvent, in adventure: Adventure) {
        self = Self.sentence(
            for: event,
            boss: adventure.boss?.id.name,
            name: adventure.heroName(at:),
            move: adventure.signatureMoveName(at:)
        )
    }

    /// Returns the sentence that describes an event.
    /// - Parameters:
    ///   - event: the event.
    ///   - boss: the name of the boss; nil on a journey.
    ///   - name: returns the name of the hero at a seat.
    ///   - move: returns the name of the signature move of the hero at a seat.
    /// - Returns: the sentence.
    package static func sentence(
        for event: AdventureEvent,
        boss: String?,
        name: (Seat) -> String,
        move: (Seat) -> String
    ) -> Self {
        switch event {
        case .adventureStarted(.journey): Phrase.partySetsOut()
        // The boss appears at the same moment.
        case .adventureStarted(.bossFight), .adventureStarted(.raid): Phrase.bossAppeared(boss ?? "The boss")
        case .storyTold(let beat): Self(key: beat.narration)
        case .travelled(let location): Phrase.reachedLocation(location.name)
        case .lootFound(let hero, let item, .common): Phrase.foundCommon(name(hero), item.name)
        case .lootFound(let hero, let item, .rare): Phrase.foundRare(name(hero), item.name)
        case .lootFound(let hero, let item, .epic): Phrase.foundEpic(name(hero), item.name)
        case .hazardStruck(let hazard): Self(key: hazard.narration)
        case .restTaken(let rest): Self(key: rest.narration)
        case .encounterMet(let foe): Phrase.metFoe(foe.name)
        case .foeStruck(let foe, let damage): Phrase.struckFoe(foe.name, String(damage))
        case .encounterWon(let foe): Phrase.overcameFoe(foe.name)
        case .heroHurt(let hero, let amount, .hazard, _): Phrase.hurtOnTheRoad(name(hero), String(amount))
        case .heroHurt(let hero, let amount, .encounter, _): Phrase.hurtInASkirmish(name(hero), String(amount))
        case .heroHurt(let hero, let amount, .bossAttack, _): Phrase.hurtByTheBoss(name(hero), String(amount))
        case .heroHurt(let hero, let amount, .bossHeavyAttack, _): Phrase.crushedByTheBoss(name(hero), String(amount))
        case .heroHealed(let hero, let amount, .rest): Phrase.rested(name(hero), String(amount))
        case .heroHealed(let hero, let amount, .potion): Phrase.gainedByPotion(name(hero), String(amount))
        case .heroHealed(let hero, let amount, .special): Phrase.gainedByMove(name(hero), String(amount))
        case .heroHealed(let hero, let amount, .revival): Phrase.gainedByHelp(name(hero), String(amount))
        case .heroDown(let hero): Phrase.heroIsDown(name(hero))
        case .heroRevived(let hero, nil): Phrase.heroIsUpAgain(name(hero))
        case .heroRevived(let hero, let helper?): Phrase.helpedUp(name(helper), name(hero))
        case .heroLevelledUp(let hero, let level): Phrase.reachedLevel(name(hero), String(level))
        case .bossAppeared(let boss): Phrase.bossAppeared(boss.name)
        case .turnStarted(_, let hero?): Phrase.turnOfHero(name(hero))
        case .turnStarted(_, nil): Phrase.turnOfTheBoss()
        case .actionTaken(let hero, .attack, let damage): Phrase.struckTheBoss(name(hero), String(damage))
        case .actionTaken(let hero, .critical, let damage): Phrase.struckTheBossHard(name(hero), String(damage))
        case .actionTaken(let hero, .miss, _): Phrase.missedTheBoss(name(hero))
        case .actionTaken(let hero, .guardUp, _): Phrase.isOnGuard(name(hero))
        case .actionTaken(let hero, .special, 0): Phrase.usesMove(name(hero), move(hero))
        case .actionTaken(let hero, .special, let damage): Phrase.strikesByMove(name(hero), move(hero), String(damage))
        case .actionTaken(let hero, .potion, _): Phrase.usesAPotion(name(hero))
        case .actionTaken(let hero, .revive, _): Phrase.reachesOut(name(hero))
        case .actionTaken(let hero, .pass, _): Phrase.waits(name(hero))
        case .actionTaken(let hero, .fleeRefused, _): Phrase.cannotFlee(name(hero))
        case .bossActed(.attack, _): Phrase.bossAttacks()
        case .bossActed(.sweep, _): Phrase.bossSweeps()
        case .bossActed(.drain, _): Phrase.bossDrains()
        case .bossActed(.mend, _): Phrase.bossMends()
        case .bossActed(.windUp, _), .bossActed(.takeAim, nil): Phrase.bossWindsUp()
        case .bossActed(.heavyAttack, _): Phrase.bossAttacksHeavily()
        case .bossActed(.takeAim, let target?): Phrase.bossTakesAim(name(target))
        case .bossActed(.crush, _): Phrase.bossCrushes()
        case .bossHealed(let boss, let amount): Phrase.bossGained(boss.name, String(amount))
        case .bossHindered(let boss, _): Phrase.bossIsHindered(boss.name)
        case .bossEnraged(let boss, _): Phrase.bossIsEnraged(boss.name)
        case .raidProgressed(let health, _): Phrase.bossHasLeft(boss ?? "The boss", String(health))
        case .bossDefeated(let boss): Phrase.bossDefeated(boss.name)
        case .partyWiped: Phrase.partyHasFallen()
        case .memberJoined(let hero): Phrase.joined(name(hero))
        case .memberLeft(let hero): Phrase.left(name(hero))
        case .policyChosen(let hero, _): Phrase.changedPlans(name(hero))
        case .adventureEnded(.completed): Phrase.journeyCompleted()
        case .adventureEnded(.bossDefeated): Phrase.fightIsWon()
        case .adventureEnded(.partyWiped): Phrase.partyHasFallen()
        case .adventureEnded(.endedByOperator): Phrase.endedByOperator()
        case .adventureEnded(.abandoned): Phrase.nobodyIsLeft()
        case .adventureEnded(.expired): Phrase.bossGotAway()
        }
    }
}

extension AdventureEvent {
    /// Whether an activity shows this event as a sentence.
    ///
    /// An activity shows the last such event, so an event is not a headline if it would replace a more important one of
    /// the same moment:
    ///
    /// - The activity shows the acting hero beside the sentence.
    /// - The health of the heroes shows losses to a hazard or a foe, and gains by a rest, a signature move or a
    ///   companion's help. The sentence names the cause instead of the last of several heroes.
    /// - The health of the boss shows its gain; the sentence names the hero whom it hurt.
    /// - A boss is hindered by the signature move that the sentence names.
    /// - The health of the boss shows how far a raid is.
    /// - The policy for turns without a command concerns only the player who chooses it.
    ///
    /// The creator of a ``AdventureAttributes/ContentState`` passes the last event for which this is true.
    public var isHeadline: Bool {
        switch self {
        case .heroHurt(_, _, let cause, _):
            switch cause {
            case .hazard, .encounter: false
            case .bossAttack, .bossHeavyAttack: true
            }
        case .heroHealed(_, _, let source):
            switch source {
            case .rest, .special, .revival: false
            case .potion: true
            }
        case .turnStarted, .bossHealed, .bossHindered, .raidProgressed, .policyChosen: false
        case .adventureStarted, .storyTold, .travelled, .lootFound, .hazardStruck, .restTaken, .encounterMet,
            .foeStruck,
            .encounterWon, .heroDown, .heroRevived, .heroLevelledUp, .bossAppeared, .actionTaken, .bossActed,
            .bossEnraged, .bossDefeated, .partyWiped, .memberJoined, .memberLeft, .adventureEnded:
            true
        }
    }
}
