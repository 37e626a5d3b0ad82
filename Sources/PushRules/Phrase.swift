import LiveActivityContent

/// Every sentence that the server asks a phone to say: the keys of `Localization/Localizable.xcstrings`.
///
/// A key is the English sentence, so that an app that lacks one still shows something sensible. Where more than one
/// argument goes in they are numbered, since languages order words differently. Plurals are avoided by wording.
enum Phrase: String, CaseIterable {
    // What happened.
    case partySetsOut = "The party sets out."
    case fightBegins = "The fight begins."
    case reachedPlace = "The party reached %@."
    case foundCommon = "%1$@ found %2$@."
    case foundRare = "%1$@ found something rare: %2$@!"
    case foundEpic = "%1$@ found an epic treasure: %2$@!"
    case hurtOnTheRoad = "%1$@ stumbled and lost %2$@ health."
    case hurtInASkirmish = "%1$@ lost %2$@ health in a skirmish."
    case hurtByTheBoss = "The boss hit %1$@ for %2$@."
    case crushedByTheBoss = "The boss crushed %1$@ for %2$@."
    case rested = "%1$@ rested and gained %2$@ health."
    case gainedByPotion = "A potion gave %1$@ %2$@ health."
    case heroIsDown = "%@ is down!"
    case heroIsUpAgain = "%@ is up again."
    case helpedUp = "%1$@ helped %2$@ up."
    case reachedLevel = "%1$@ reached level %2$@."
    case bossAppeared = "%@ appeared!"
    case turnOfHero = "It is %@’s turn."
    case turnOfTheBoss = "It is the boss’s turn."
    case struckTheBoss = "%1$@ struck the boss for %2$@."
    case isOnGuard = "%@ is on guard."
    case usesAPotion = "%@ used a potion."
    case waits = "%@ waits."
    case bossAttacks = "The boss attacks."
    case bossWindsUp = "The boss gathers its strength. Guard!"
    case bossAttacksHeavily = "The boss strikes with all its might."
    case bossDefeated = "%@ is defeated!"
    case partyHasFallen = "The party has fallen."
    case joined = "%@ joined the party."
    case left = "%@ left the party."
    case journeyCompleted = "The journey is completed!"
    case fightIsWon = "The fight is won!"
    case bossGotAway = "The boss got away."
    case endedByOperator = "The game masters ended it."
    case nobodyIsLeft = "Nobody is left in the party."

    // What only alerts say.
    case yourHeroIsDown = "You are down!"
    case askForPotion = "%@ cannot fight on. Ask your party for a potion."
    case giveAPotion = "Give %@ a potion."
    case standTogether = "Take your turns and stand together."
    case partyHasWon = "Your party has won the fight."
    case restAndTryAgain = "Rest, and set out again."
    case goalReached = "Your party has reached its goal."
    case adventureIsOver = "The adventure is over."

    /// The sentence with what goes into it.
    func callAsFunction(_ args: String...) -> LocalizableText {
        LocalizableText(key: rawValue, args: args)
    }
}
