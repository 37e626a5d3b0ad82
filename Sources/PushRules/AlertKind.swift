public import GameCore

/// What an alert is about, and with that what makes it pointless.
public enum AlertKind: Hashable, Sendable {
    /// A hero needs a potion; pointless when the hero is up again.
    case heroDown(Seat)
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
        case .heroDown, .bossAppeared: false
        case .bossDefeated, .partyWiped, .adventureOver: true
        }
    }

    /// What the phone plays.
    public var sound: AlertSound {
        switch self {
        case .heroDown: .heroDown
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
        case .bossAppeared: "the adventure is over"
        case .bossDefeated, .partyWiped, .adventureOver: nil
        }
    }
}

/// The file names of the sounds that the app carries, in `Localization/Sounds`.
public enum AlertSound: String, Hashable, Sendable, CaseIterable {
    /// Two falling notes.
    case heroDown = "hero-down.wav"
    /// A low growl that swells.
    case bossAppeared = "boss-appeared.wav"
    /// A rising fanfare.
    case bossDefeated = "boss-defeated.wav"
    /// A slow descent.
    case partyWiped = "party-wiped.wav"
    /// A soft chime.
    case adventureOver = "adventure-over.wav"
}
