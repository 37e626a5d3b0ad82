public import GameCore

/// What an alert is about, and with that what makes it pointless.
public enum AlertKind: Hashable, Sendable {
    /// The receiver's own hero needs a potion; pointless when the hero is up again.
    case ownHeroDown
    /// A companion's hero needs a potion; pointless when the hero is up again.
    case companionDown(Seat)
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

    /// Who gives way to whom where a phone's budget is short.
    public var weight: AlertWeight {
        switch self {
        case .ownTurn: .routine
        case .companionDown: .companion
        case .ownHeroDown, .bossAppeared: .personal
        case .bossDefeated, .partyWiped, .adventureOver: .final
        }
    }

    /// Whether it tells how the adventure ended: such an alert goes out before `end` does, while the others are
    /// pointless once the adventure is over.
    public var tellsTheEnd: Bool { weight == .final }

    /// What the phone plays.
    public var sound: AlertSound {
        switch self {
        case .ownHeroDown, .companionDown: .heroDown
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
        case .ownHeroDown, .companionDown: "the hero is up again, or the adventure is over"
        case .ownTurn: "the turn has passed, or the adventure is over"
        case .bossAppeared: "the adventure is over"
        case .bossDefeated, .partyWiped, .adventureOver: nil
        }
    }
}

/// Who gives way to whom among the alerts of one phone, and leaves the others a reserve; the lightest first.
public enum AlertWeight: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// It comes again every minute.
    case routine
    /// Somebody else of the party may help as well; several are told by one alert.
    case companion
    /// Nobody else can do anything about it.
    case personal
    /// It comes once, and nothing comes after it.
    case final

    /// The lighter is smaller.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The file names of the sounds that the app carries, in `Localization/Sounds`.
public enum AlertSound: String, Hashable, Sendable, CaseIterable {
    /// Three steps upwards; comes with a card that the server starts for a journey, or for one that grows too old.
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
