/// What a player asks of a running adventure.
public enum Command: Hashable, Sendable {
    /// Give one of the player's potions to a hero, or to the player's own when `target` is nil.
    case potion(target: Seat?)
    /// Strike the boss; in the player's own turn only.
    case attack
    /// Guard until the next turn; in the player's own turn only.
    case guardUp
    /// Pass the turn on; in the player's own turn only.
    case pass
}

/// What moves an adventure forward: everything a replay needs besides the seed.
public enum Input: Hashable, Sendable {
    /// The first input of every adventure, once.
    case start
    /// The interval (journey) or the turn's deadline (boss fight) has passed.
    case tick
    /// A player asks for something.
    case command(Command, by: PlayerID)
    /// A player joins with a hero.
    case join(Hero)
    /// A player leaves.
    case leave(PlayerID)
    /// An operator ends the adventure.
    case end
}

/// Why an input was refused; the adventure is untouched.
public enum Refusal: String, Error, Codable, Hashable, Sendable, CaseIterable {
    /// The adventure has not had its `start`, or has had it already.
    case notStarted
    /// The adventure has ended.
    case adventureOver
    /// The player brought no hero to this adventure, or has left it.
    case notAMember
    /// The player is in this adventure already.
    case alreadyAMember
    /// Eight heroes are in it.
    case partyFull
    /// It is another hero's turn, or the boss's.
    case notYourTurn
    /// The player's own hero is down.
    case heroDown
    /// The player's hero carries no potion.
    case noPotionsLeft
    /// No hero has that seat.
    case unknownTarget
    /// The target's health is at its maximum.
    case targetUnhurt
    /// The command belongs to boss fights, and this is a journey.
    case noBoss
}
