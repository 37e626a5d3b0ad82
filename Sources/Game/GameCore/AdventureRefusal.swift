/// The reason why an adventure refused an input; the adventure is then unchanged.
public enum AdventureRefusal: String, Error, Codable, Hashable, Sendable, CaseIterable {
    /// The adventure has not started, or `start` was sent again.
    case notStarted
    /// The adventure has ended.
    case adventureOver
    /// The player has no hero in the adventure, or has left it.
    case notAMember
    /// The player already has a hero in the adventure.
    case alreadyAMember
    /// The adventure already has eight heroes.
    case partyFull
    /// It is another hero's turn, or the boss's.
    case notYourTurn
    /// The player's hero is down.
    case heroDown
    /// The player's hero has no potions.
    case noPotionsLeft
    /// The target seat has no hero.
    case unknownTarget
    /// The target has full health.
    case targetUnhurt
    /// The target is not down.
    case targetNotDown
    /// The hero's signature move is on cooldown.
    case onCooldown
    /// The command is valid only in boss fights.
    case noBoss
}

extension AdventureRefusal {
    /// The identifier of the refusal in REST.
    ///
    /// Apps depend on it, so it must not change.
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

    /// The problem and its remedy in one sentence, for clients of the API.
    public var explanation: String {
        switch self {
        case .notStarted: "An adventure starts exactly once, before any other input."
        case .adventureOver: "This adventure has ended; start another one."
        case .notAMember: "You have no hero in this adventure; join its party first."
        case .alreadyAMember: "You already have a hero in this adventure; play on with it."
        case .partyFull: "This adventure already has eight heroes; wait for the party's next one."
        case .notYourTurn: "It is not your hero's turn; wait until the adventure's turn names its seat."
        case .heroDown: "Your hero is down; ask a companion for a potion or a revival."
        case .noPotionsLeft: "Your hero has no potions; find one on a journey, or ask a companion."
        case .unknownTarget: "This adventure has no hero at that seat; choose one of the adventure's heroes."
        case .targetUnhurt: "No hero whom this would heal is hurt; choose a hurt hero, or keep it for later."
        case .targetNotDown: "That hero is not down; revive one who is down, or give a potion to one who is hurt."
        case .onCooldown:
            "Your hero's signature move is on cooldown; the hero's cooldown is the number of turns until it is ready."
        case .noBoss: "A journey has no boss; only potions can be used."
        }
    }
}
