public import GameCore

/// What an alert is about, and with that what makes it pointless.
public enum AlertKind: Hashable, Sendable {
    /// A hero needs a potion; pointless when the hero is up again.
    case heroDown(Seat)
    /// It is the turn of the receiver's own hero; pointless when the turn has passed.
    case ownTurn
    /// A fight begins.
    case bossAppeared
    /// The fight is won.
    case bossDefeated
    /// Every hero is down.
    case partyWiped
    /// The adventure is over and nothing else has told it.
    case adventureOver

    /// Whether it tells how the adventure ended: such an alert goes out before `end` does, while the others are
    /// pointless once the adventure is over.
    public var tellsTheEnd: Bool {
        switch self {
        case .heroDown, .ownTurn, .bossAppeared: false
        case .bossDefeated, .partyWiped, .adventureOver: true
        }
    }

    /// Whether it comes again every minute: such an alert gives way to the others, and leaves them their reserve.
    public var isRoutine: Bool {
        switch self {
        case .ownTurn: true
        case .heroDown, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver: false
        }
    }

    /// What the phone plays.
    public var sound: AlertSound {
        switch self {
        case .heroDown: .heroDown
        case .ownTurn: .ownTurn
        case .bossAppeared: .bossAppeared
        case .bossDefeated: .bossDefeated
        case .partyWiped: .partyWiped
        case .adventureOver: .adventureOver
        }
    }

    /// What cancels it while it waits, for the table of rules.
    var cancellation: String? {
        switch self {
        case .heroDown: "the hero is up again, or the adventure is over"
        case .ownTurn: "the turn has passed, or the adventure is over"
        case .bossAppeared: "the adventure is over"
        case .bossDefeated, .partyWiped, .adventureOver: nil
        }
    }
}

/// The file names of the sounds that the app carries, in `Localization/Sounds`.
public enum AlertSound: String, Hashable, Sendable, CaseIterable {
    /// Three steps upwards; comes with a card that the server starts for a journey.
    case partySetsOut = "party-sets-out.wav"
    /// Two falling notes.
    case heroDown = "hero-down.wav"
    /// Two short taps.
    case ownTurn = "own-turn.wav"
    /// A low growl that swells.
    case bossAppeared = "boss-appeared.wav"
    /// A rising fanfare.
    case bossDefeated = "boss-defeated.wav"
    /// A slow descent.
    case partyWiped = "party-wiped.wav"
    /// A soft chime.
    case adventureOver = "adventure-over.wav"
}
