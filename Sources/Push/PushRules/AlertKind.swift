public import Encodings
public import GameCore

/// The kind of an alert, which determines its weight, its sound and the events that cancel it.
public enum AlertKind: Hashable, Sendable {
    /// The receiver's own hero is down and needs a potion. The revival of the hero cancels it.
    case ownHeroDown
    /// A companion's hero is down and needs a potion. The revival of the hero cancels it.
    case companionDown(Seat)
    /// The receiver's own hero stands with little health and needs a potion. A gain of health, or the fall of the hero,
    /// whose alert follows, cancels it.
    case heroInDanger
    /// It is the turn of the receiver's own hero. The end of the turn cancels it.
    case ownTurn
    /// A fight begins.
    case bossAppeared
    /// The fight is won.
    case bossDefeated
    /// Every hero is down.
    case partyWiped
    /// The adventure is over, and no other alert announces the outcome.
    case adventureOver

    /// The precedence of the alert if the phone's budget does not allow all alerts.
    public var weight: AlertWeight {
        switch self {
        case .ownTurn: .routine
        case .heroInDanger: .warning
        case .companionDown: .companion
        case .ownHeroDown, .bossAppeared: .personal
        case .bossDefeated, .partyWiped, .adventureOver: .final
        }
    }

    /// Whether the alert announces the outcome of the adventure.
    ///
    /// Such an alert is sent before `end`; the end of the adventure cancels all others.
    public var announcesOutcome: Bool { weight == .final }

    /// The sound that the phone plays.
    public var sound: AlertSound {
        switch self {
        case .ownHeroDown, .companionDown: .heroDown
        case .heroInDanger: .heroInDanger
        case .ownTurn: .ownTurn
        case .bossAppeared: .bossAppeared
        case .bossDefeated: .bossDefeated
        case .partyWiped: .partyWiped
        case .adventureOver: .adventureOver
        }
    }

    /// The category with which a player can mute the alert; nil for the end of an adventure, which only quiet hours
    /// silence.
    public var category: AlertPreferences.Category? {
        switch self {
        case .ownTurn: .ownTurn
        case .companionDown: .companions
        case .heroInDanger, .ownHeroDown: .danger
        case .bossAppeared, .bossDefeated: .boss
        case .partyWiped, .adventureOver: nil
        }
    }

    /// The events that cancel the alert while it waits, for the table of rules; nil if there are none.
    var cancellation: String? {
        switch self {
        case .ownHeroDown, .companionDown: "the hero is up again, or the adventure is over"
        case .heroInDanger: "the hero gains health or goes down, or the adventure is over"
        case .ownTurn: "the turn has passed, or the adventure is over"
        case .bossAppeared: "the adventure is over"
        case .bossDefeated, .partyWiped, .adventureOver: nil
        }
    }
}

extension AlertPreferences {
    /// Whether an alert of a kind rings at a moment.
    public func rings(_ kind: AlertKind, at moment: Timestamp) -> Bool { rings(in: kind.category, at: moment) }
}

/// The precedence of an alert among those of one phone: lighter alerts leave a reserve of the budget to heavier ones.
public enum AlertWeight: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// The alert recurs with each turn of the hero.
    case routine
    /// The receiver's hero may go down soon.
    ///
    /// Like a routine alert, it leaves the whole reserve to heavier alerts, so it delays none of them.
    case warning
    /// Any member of the party can act on the alert; one push reports several.
    case companion
    /// The receiver should act soon: the receiver's hero is down, or a fight begins.
    case personal
    /// The alert announces the outcome, and no other alert follows it.
    case final

    /// Orders weights from light to heavy.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A sound of the app, by its file name in `Localization/Sounds`.
public enum AlertSound: String, Hashable, Sendable, CaseIterable {
    /// Three ascending notes: an activity that the server starts for a journey, or as the successor of one that ends
    /// soon.
    case partySetsOut = "party-sets-out.wav"
    /// Two falling notes.
    case heroDown = "hero-down.wav"
    /// Three quick high notes.
    case heroInDanger = "hero-in-danger.wav"
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
