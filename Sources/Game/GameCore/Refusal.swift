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
    /// The target stands, and needs no help up.
    case targetNotDown
    /// The hero's signature move was used a short time ago.
    case onCooldown
    /// The command belongs to boss fights, and this is a journey.
    case noBoss
}

extension Refusal {
    /// The word that REST answers with: a promise to apps, which decide by it.
    public var slug: String {
        switch self {
        case .notStarted: "not-started"
        case .adventureOver: "adventure-over"
        case .notAMember: "not-a-member"
        case .alreadyAMember: "already-a-member"
        case .partyFull: "party-full"
        case .notYourTurn: "not-your-turn"
        case .heroDown: "hero-down"
        case .noPotionsLeft: "no-potions-left"
        case .unknownTarget: "unknown-target"
        case .targetUnhurt: "target-unhurt"
        case .targetNotDown: "target-not-down"
        case .onCooldown: "on-cooldown"
        case .noBoss: "no-boss"
        }
    }

    /// What is wrong and what would be right, in one sentence.
    public var explanation: String {
        switch self {
        case .notStarted: "An adventure starts once, before anything else: send its start first and only once."
        case .adventureOver: "This adventure has ended; start another one."
        case .notAMember: "You have no hero in this adventure; join its party first."
        case .alreadyAMember: "Your hero is in this adventure already; go on with it."
        case .partyFull: "Eight heroes are in this adventure; wait for the party's next one."
        case .notYourTurn: "Another turn is open; wait until the adventure's turn names your hero."
        case .heroDown: "Your hero is down; ask a companion for a potion or a hand."
        case .noPotionsLeft: "Your hero carries no potion; find one on a journey, or ask a companion."
        case .unknownTarget: "No hero of this adventure has that seat; take one from the adventure's heroes."
        case .targetUnhurt: "Nobody whom it would help is hurt; keep it, or choose a hero who is hurt."
        case .targetNotDown: "That hero stands; revive one who is down, or give a potion to one who is hurt."
        case .onCooldown: "Your hero's signature move needs some turns of rest; the adventure's hero tells how many."
        case .noBoss: "A journey has no boss; only potions can be used here."
        }
    }
}
