/// What happened in an adventure, in the past tense: the unit of the log.
///
/// A hero is named by its ``Seat``, so that an event holds no personal data and stays true when a
/// player is erased. Adding an event is one case here and one rule in `PushRules`.
public enum Event: Hashable, Sendable {
    /// The party set out; always the first event.
    case adventureStarted(kind: AdventureKind)
    /// A part of the region's story was told.
    case storyTold(beat: BeatID)
    /// The party moved on to another place of its region.
    case travelled(place: PlaceID)
    /// A hero found something.
    case lootFound(hero: Seat, item: ItemID, rarity: Rarity)
    /// A hazard of the road came over the party; whom it hurt follows as ``heroHurt(hero:amount:cause:)``.
    case hazardStruck(hazard: HazardID)
    /// The party rested; who gained by it follows as ``heroHealed(hero:amount:source:)``.
    case restTaken(rest: RestID)
    /// A foe stood in the party's way.
    case encounterMet(foe: FoeID)
    /// The party struck the foe in its way, which lost `damage` by it.
    case foeStruck(foe: FoeID, damage: Int)
    /// The foe gave way.
    case encounterWon(foe: FoeID)
    /// A hero lost health, `amount` of it after all reductions.
    case heroHurt(hero: Seat, amount: Int, cause: Harm)
    /// A hero gained health, `amount` of it after capping at the maximum.
    case heroHealed(hero: Seat, amount: Int, source: Healing)
    /// A hero's health reached zero; follows the ``heroHurt(hero:amount:cause:)`` that did it.
    case heroDown(hero: Seat)
    /// A downed hero is up again; `helper` gave the potion, nil when the hero came round alone.
    case heroRevived(hero: Seat, helper: Seat?)
    /// A hero reached a level.
    case heroLevelledUp(hero: Seat, level: Int)
    /// A boss stands before the party.
    case bossAppeared(boss: BossID)
    /// A turn of a boss fight began; the boss's own when `hero` is nil.
    case turnStarted(turn: Int, hero: Seat?)
    /// A hero used its turn; `damage` is what the boss lost by it.
    case actionTaken(hero: Seat, action: HeroAction, damage: Int)
    /// The boss used its turn; what it did to whom follows as ``heroHurt(hero:amount:cause:)``.
    ///
    /// `target` is whom it takes aim at, and nil for every other move.
    case bossActed(move: BossMove, target: Seat? = nil)
    /// The boss gained health, `amount` of it after capping at the maximum, which grows as much when a hero joins a fight.
    case bossHealed(boss: BossID, amount: Int)
    /// A hero's signature move hindered the boss; follows the ``actionTaken(hero:action:damage:)`` that did it.
    case bossHindered(boss: BossID, by: Hindrance)
    /// The boss lost so much health that it fights in another way from now on; phases count from 1.
    case bossEnraged(boss: BossID, phase: Int)
    /// The boss's health reached zero.
    case bossDefeated(boss: BossID)
    /// The last hero went down.
    case partyWiped
    /// A hero joined the running adventure.
    case memberJoined(hero: Seat)
    /// A hero's player left; in a boss fight the hero fights on by itself.
    case memberLeft(hero: Seat)
    /// A player said what the hero does with turns that the player lets pass.
    case policyChosen(hero: Seat, policy: TurnPolicy)
    /// The adventure is over; always the last event.
    case adventureEnded(outcome: Outcome)
}

/// How a hero lost health.
public enum Harm: String, Codable, Hashable, Sendable, CaseIterable {
    /// A hazard of the road: thorns, a rock fall.
    case hazard
    /// A small enemy on the way.
    case encounter
    /// A boss's ordinary move.
    case bossAttack
    /// A boss's heavy move: one that it has announced.
    case bossHeavyAttack
}

/// How a hero gained health.
public enum Healing: String, Codable, Hashable, Sendable, CaseIterable {
    /// A rest on the way.
    case rest
    /// A potion.
    case potion
    /// The signature move of a companion, or the hero's own.
    case special
    /// A companion's hand.
    case revival
}

/// How rare a piece of loot is.
public enum Rarity: String, Codable, Hashable, Sendable, CaseIterable {
    /// Found often.
    case common
    /// Found now and then.
    case rare
    /// Found once in a journey, if at all.
    case epic
}

/// What a hero did with its turn.
public enum HeroAction: String, Codable, Hashable, Sendable, CaseIterable {
    /// Struck the boss.
    case attack
    /// Struck the boss especially hard.
    case critical
    /// Struck beside the boss.
    case miss
    /// Takes half the damage until the hero's next turn, and a quarter of an announced blow.
    case guardUp = "guard"
    /// Used its signature move.
    case special
    /// Gave a potion to itself or another hero; one who was down got up by it.
    case potion
    /// Helped a hero up who was down.
    case revive
    /// Did nothing.
    case pass
    /// Tried to run, and the boss stood in the way.
    case fleeRefused
}

/// What a boss does with its turn.
public enum BossMove: String, Codable, Hashable, Sendable, CaseIterable {
    /// Hits one hero in three, in a small party one.
    case attack
    /// Hits every hero that stands, less hard.
    case sweep
    /// Hits one hero in three, in a small party one, and gains half of what they lose.
    case drain
    /// Gains health.
    case mend
    /// Announces a heavy attack for its next turn.
    case windUp
    /// Hits every hero that stands, as announced; guarding takes three quarters off.
    case heavyAttack
    /// Announces a crushing blow at one hero for its next turn.
    case takeAim
    /// Hits the hero at whom it took aim; guarding takes three quarters off.
    case crush
}

/// How a signature move hinders a boss.
public enum Hindrance: String, Codable, Hashable, Sendable, CaseIterable {
    /// It has lost the move that it had announced.
    case interrupted
    /// It hits less hard for some of its turns.
    case weakened
    /// The next blows at it hit harder.
    case exposed
}

/// Whether an adventure travels or fights.
public enum AdventureKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A walk through a region that ticks at a fixed interval.
    case journey
    /// A fight against one boss, one turn a tick.
    case bossFight
}

/// How an adventure came to its end.
public enum Outcome: String, Codable, Hashable, Sendable, CaseIterable {
    /// The journey reached its goal.
    case completed
    /// The boss lost.
    case bossDefeated
    /// Every hero went down.
    case partyWiped
    /// An operator ended it.
    case endedByOperator
    /// Nobody is left in the party.
    case abandoned
    /// The fight reached its last turn with the boss still standing.
    case expired
}
