import LiveActivityContent

/// The sentences that the server sends to phones.
///
/// With the texts and names of the catalogues, and with the sentences of alerts that have a name in the key, they are the
/// keys of `Localization/Localizable.xcstrings`. A key is the English sentence, so an app without a translation shows English.
/// Two or more arguments are numbered, since languages order words differently. The wording avoids plurals.
enum Phrase: String, CaseIterable {
    // Events.
    case partySetsOut = "The party sets out."
    case reachedLocation = "The party reached %@."
    case foundCommon = "%1$@ found %2$@."
    case foundRare = "%1$@ found something rare: %2$@!"
    case foundEpic = "%1$@ found an epic treasure: %2$@!"
    case metFoe = "The party met %@."
    case struckFoe = "The party struck %1$@ for %2$@."
    case overcameFoe = "The party overcame %@."
    case hurtOnTheRoad = "%1$@ lost %2$@ health on the way."
    case hurtInASkirmish = "%1$@ lost %2$@ health in a skirmish."
    case hurtByTheBoss = "The boss hit %1$@ for %2$@."
    case crushedByTheBoss = "The boss crushed %1$@ for %2$@."
    case rested = "%1$@ rested and gained %2$@ health."
    case gainedByPotion = "A potion gave %1$@ %2$@ health."
    case gainedByMove = "A signature move gave %1$@ %2$@ health."
    case gainedByHelp = "A helping hand gave %1$@ %2$@ health."
    case heroIsDown = "%@ is down!"
    case heroIsUpAgain = "%@ is up again."
    case helpedUp = "%1$@ helped %2$@ up."
    case reachedLevel = "%1$@ reached level %2$@."
    case bossAppeared = "%@ appeared!"
    case turnOfHero = "It is %@’s turn."
    case turnOfTheBoss = "It is the boss’s turn."
    case struckTheBoss = "%1$@ struck the boss for %2$@."
    case struckTheBossHard = "%1$@ struck the boss hard for %2$@!"
    case missedTheBoss = "%@ missed the boss."
    case isOnGuard = "%@ is on guard."
    case usesMove = "%1$@ used %2$@."
    case strikesByMove = "%1$@ used %2$@ and struck the boss for %3$@!"
    case usesAPotion = "%@ used a potion."
    case reachesOut = "%@ reached out to a companion."
    case waits = "%@ waits."
    case cannotFlee = "%@ tried to run, but the boss stands in the way."
    case changedPlans = "%@ changed plans."
    case bossAttacks = "The boss attacks."
    case bossWindsUp = "The boss gathers its strength. Guard!"
    case bossAttacksHeavily = "The boss strikes with all its might."
    case bossSweeps = "The boss strikes at everyone."
    case bossDrains = "The boss drains the strength of its prey."
    case bossMends = "The boss mends its wounds."
    case bossTakesAim = "The boss takes aim at %@. Guard!"
    case bossCrushes = "The boss strikes as announced."
    case bossGained = "%1$@ gained %2$@ health."
    case bossIsHindered = "%@ is thrown off balance."
    case bossIsEnraged = "%@ is enraged!"
    case bossHasLeft = "%1$@ has %2$@ health left."
    case bossDefeated = "%@ is defeated!"
    case partyHasFallen = "The party has fallen."
    case joined = "%@ joined the party."
    case left = "%@ left the party."
    case journeyCompleted = "The journey is completed!"
    case fightIsWon = "The fight is won!"
    case bossGotAway = "The boss got away."
    case endedByOperator = "The game masters ended it."
    case nobodyIsLeft = "Nobody is left in the party."

    // Texts that only alerts use.
    case yourHeroIsDown = "You are down!"
    case askForPotion = "%@ cannot fight on. Ask your party for a potion."
    case heroIsInDanger = "%@ has taken a critical hit!"
    case usePotion = "Open the app and use a potion to heal %@."
    case itIsYourTurn = "It is your turn!"
    case heroAwaitsCommand = "%@ waits for your command."
    case giveAPotion = "Give %@ a potion."
    case heroOfPlayerIsDown = "%1$@’s %2$@ is down!"
    case giveHeroOfPlayerAPotion = "Give %1$@’s %2$@ a potion."
    case twoHeroesAreDown = "Heroes down: %1$@, %2$@!"
    case threeHeroesAreDown = "Heroes down: %1$@, %2$@, %3$@!"
    case fourHeroesAreDown = "Heroes down: %1$@, %2$@, %3$@, %4$@!"
    case fiveHeroesAreDown = "Heroes down: %1$@, %2$@, %3$@, %4$@, %5$@!"
    case sixHeroesAreDown = "Heroes down: %1$@, %2$@, %3$@, %4$@, %5$@, %6$@!"
    case sevenHeroesAreDown = "Heroes down: %1$@, %2$@, %3$@, %4$@, %5$@, %6$@, %7$@!"
    case giveThemPotions = "Give them potions."
    case standTogether = "Take your turns and stand together."
    case partyHasWon = "Your party has won the fight."
    case restAndTryAgain = "Rest, and set out again."
    case goalReached = "Your party has reached its goal."
    case adventureIsOver = "The adventure is over."

    // Notices of activities about themselves, and the alert of an activity that the server starts.
    case activityEndsSoon = "This card ends soon: phones keep one for eight hours."
    case adventureGoesOn = "The adventure goes on."
    case openTheApp = "The adventure goes on. Open the app to follow it."
    case followTheParty = "Follow your party here."

    /// The sentences of alerts with the name of a hero.
    static let alertsOfHeroes: [Self] = [
        .heroIsDown, .askForPotion, .heroIsInDanger, .usePotion, .heroAwaitsCommand, .giveAPotion,
    ]
    /// The sentences of alerts with the names of a player and of the player's hero.
    static let alertsOfPlayers: [Self] = [.heroOfPlayerIsDown, .giveHeroOfPlayerAPotion]
    /// The sentences of alerts with the name of a boss.
    static let alertsOfBosses: [Self] = [.bossAppeared, .bossDefeated]

    /// Returns the sentence with its arguments.
    func callAsFunction(_ args: String...) -> LocalizableText {
        LocalizableText(key: rawValue, args: args)
    }

    /// Returns the sentence that names the heroes who are down: one to seven, the number of companions in a full party.
    ///
    /// Languages separate the elements of a list by different characters, and phones do not localize arguments.
    /// Therefore there is a sentence for each number of names. Of more names, the sentence has the last seven.
    static func heroesAreDown(_ names: [String]) -> LocalizableText {
        let sentences: [Self] = [
            .heroIsDown, .twoHeroesAreDown, .threeHeroesAreDown, .fourHeroesAreDown, .fiveHeroesAreDown,
            .sixHeroesAreDown, .sevenHeroesAreDown,
        ]
        let names = Array(names.suffix(sentences.count))
        return LocalizableText(key: sentences[names.count - 1].rawValue, args: names)
    }
}
