/// An event of an adventure: the unit of the log.
///
/// Events refer to heroes by ``Seat``. They therefore contain no personal data and remain valid after a player is
/// erased. A new event needs a case here and a rule in `PushRules`.
public enum AdventureEvent: Hashable, Sendable {
    /// The adventure started; always the first event.
    case adventureStarted(kind: AdventureKind)
    /// The party reached the next beat of the region's story.
    case storyTold(beat: BeatID)
    /// The party moved to another location in its region.
    case travelled(location: LocationID)
    /// A hero found something.
    case lootFound(hero: Seat, item: ItemID, rarity: Rarity)
    /// A hazard struck the party; ``heroHurt(hero:amount:cause:inDanger:)`` follows for each victim.
    case hazardStruck(hazard: HazardID)
    /// The party rested; ``heroHealed(hero:amount:source:)`` follows for each hero healed.
    case restTaken(rest: RestID)
    /// The party met a foe.
    case encounterMet(foe: FoeID)
    /// The party struck the foe, which lost `damage` health.
    case foeStruck(foe: FoeID, damage: Int)
    /// The party beat the foe.
    case encounterWon(foe: FoeID)
    /// A hero lost `amount` health, after all reductions.
    ///
    /// `inDanger` is true if the hero stands, and only now has a fifth of its health or less
    /// (``HeroInPlay/isInDanger``).
    case heroHurt(hero: Seat, amount: Int, cause: DamageCause, inDanger: Bool = false)
    /// A hero gained `amount` health, capped at the maximum.
    case heroHealed(hero: Seat, amount: Int, source: HealingSource)
    /// A hero's health reached zero; follows the ``heroHurt(hero:amount:cause:inDanger:)`` that caused it.
    case heroDown(hero: Seat)
    /// A hero who was down is up again; `helper` is the hero who revived it, nil at a rest.
    case heroRevived(hero: Seat, helper: Seat?)
    /// A hero reached the level `level`.
    case heroLevelledUp(hero: Seat, level: Int)
    /// The boss appeared.
    case bossAppeared(boss: BossID)
    /// A turn of a boss fight began; `hero` is nil in the boss's turn.
    case turnStarted(turn: Int, hero: Seat?)
    /// A hero acted in its turn; the boss lost `damage` health.
    case actionTaken(hero: Seat, action: HeroAction, damage: Int)
    /// The boss acted in its turn; ``heroHurt(hero:amount:cause:inDanger:)`` follows for each victim.
    ///
    /// `target` is the hero at whom the boss takes aim; nil for all other moves.
    case bossActed(move: BossMove, target: Seat? = nil)
    /// The boss gained `amount` health, capped at the maximum; when a hero joins the fight, the maximum grows by the
    /// same amount.
    case bossHealed(boss: BossID, amount: Int)
    /// A hero's signature move hindered the boss; follows the ``actionTaken(hero:action:damage:)`` that caused it.
    case bossHindered(boss: BossID, by: Hindrance)
    /// The boss entered a new phase because it lost health; phases count from 1.
    case bossEnraged(boss: BossID, phase: Int)
    /// The home of the raid added up the damage of all parties: the common boss has `health` of its `maximum` left.
    case raidProgressed(health: Int, maximum: Int)
    /// The boss's health reached zero.
    case bossDefeated(boss: BossID)
    /// The last hero went down.
    case partyWiped
    /// A player joined the running adventure with a hero.
    case memberJoined(hero: Seat)
    /// The player of a hero left; in a boss fight the hero continues to fight by its policy.
    case memberLeft(hero: Seat)
    /// A player chose a hero's policy for turns without a command.
    case policyChosen(hero: Seat, policy: TurnPolicy)
    /// The adventure ended; always the last event.
    case adventureEnded(outcome: AdventureOutcome)
}

/// The cause of damage to a hero.
public enum DamageCause: String, Codable, Hashable, Sendable, CaseIterable {
    /// A hazard of a journey, such as thorns or a rock fall.
    case hazard
    /// A foe of a journey.
    case encounter
    /// An ordinary move of a boss.
    case bossAttack
    /// A heavy move that the boss had announced.
    case bossHeavyAttack
}

/// The source of a hero's healing.
public enum HealingSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// A rest on a journey.
    case rest
    /// A potion.
    case potion
    /// A signature move, of a companion or the hero's own.
    case special
    /// A revival by a companion without a potion.
    case revival
}

/// The rarity of loot.
public enum Rarity: String, Codable, Hashable, Sendable, CaseIterable {
    /// 72 % of the loot.
    case common
    /// 23 % of the loot.
    case rare
    /// 5 % of the loot.
    case epic
}

/// The action of a hero in its turn.
public enum HeroAction: String, Codable, Hashable, Sendable, CaseIterable {
    /// Hit the boss.
    case attack
    /// Landed a critical hit.
    case critical
    /// Missed.
    case miss
    /// Guards until its next turn: takes half the damage, and a quarter of an announced blow.
    case guardUp = "guard"
    /// Used its signature move.
    case special
    /// Gave a potion to a hero; a potion also revives a hero who is down.
    case potion
    /// Revived a hero without a potion.
    case revive
    /// Did nothing.
    case pass
    /// Tried to flee and failed.
    case fleeRefused
}

/// The move of a boss in its turn.
public enum BossMove: String, Codable, Hashable, Sendable, CaseIterable {
    /// Deals one blow for every three heroes, at least one, each at a random hero.
    case attack
    /// Hits every standing hero with less damage.
    case sweep
    /// Deals weaker blows like ``attack`` and gains half of the damage as health.
    case drain
    /// Gains health.
    case mend
    /// Announces ``heavyAttack`` for its next turn.
    case windUp
    /// Hits every standing hero, as announced; guarding reduces the damage to a quarter.
    case heavyAttack
    /// Announces ``crush`` at one hero for its next turn.
    case takeAim
    /// Hits the announced hero, or a challenger; guarding reduces the damage to a quarter.
    case crush
}

/// The effect of a signature move on a boss.
public enum Hindrance: String, Codable, Hashable, Sendable, CaseIterable {
    /// The announced move is cancelled.
    case interrupted
    /// The boss deals less damage for some of its turns.
    case weakened
    /// The next blows deal more damage to the boss.
    case exposed
}

/// The kind of an adventure.
public enum AdventureKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A walk through a region, with ticks at a fixed interval.
    case journey
    /// A fight against one boss, with one turn a tick.
    case bossFight
    /// A fight of one party against the common boss of a raid, with one turn a tick.
    case raid
}

/// The outcome of an adventure.
public enum AdventureOutcome: String, Codable, Hashable, Sendable, CaseIterable {
    /// The journey reached its goal.
    case completed
    /// The heroes defeated the boss.
    case bossDefeated
    /// Every hero went down.
    case partyWiped
    /// An operator ended the adventure.
    case endedByOperator
    /// Every player left.
    case abandoned
    /// The fight reached its last turn, and the boss escaped.
    case expired
}
