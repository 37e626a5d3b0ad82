public import PushRules

/// One push as the cadence wants it; the state to put in is rendered when the request is written.
public struct PlannedPush: Hashable, Sendable {
    /// What the push does to the activity, with the date that goes with it in seconds since 1970.
    public enum Event: Hashable, Sendable {
        /// Shows the newest state, which is out of date from then on.
        case update(staleDate: Int64)
        /// Ends the activity, which leaves the Lock Screen then.
        case end(dismissalDate: Int64)
    }

    /// What the push does.
    public let event: Event
    /// `apns-priority`.
    public let priority: PushPriority
    /// What lights the screen.
    public let alert: PushAlert?
    /// The events that the alert tells of, oldest first: one alert tells of several companions who are down.
    public let alertPositions: [Int64]
    /// Seconds since 1970, larger than that of every push of the activity before.
    public let timestamp: Int64
    /// `apns-expiration` in seconds since 1970: until when APNs keeps the push for a phone it cannot reach.
    public let expiration: Int64
    /// What the push is for: the newest event that the alert tells of, or else that the state shows.
    public let position: Int64
    /// How many events the phone learns of by this one push.
    public let coveredEvents: Int
    /// What the card says of itself in place of what happened last.
    public let notice: CardNotice?
    /// Why it is sent as it is.
    public let reason: SendReason
}

/// Why an activity ends.
public enum EndReason: Hashable, Sendable {
    /// The adventure is over, or its player has left the party.
    case adventureOver
    /// The system would end it soon for its age.
    case tooOld
    /// A newer card of the same player shows the adventure.
    case replaced
    /// An operator asked for it.
    case asked
}

/// Why a push is sent, and at its priority.
public enum SendReason: Hashable, Sendable, CustomStringConvertible {
    /// An alert, which nothing demotes.
    case alert(AlertKind)
    /// The end with the final state.
    case end(EndReason)
    /// The card has nearly reached the age at which the system ends it, and says so.
    case cardEndsSoon
    /// The token is new: the phone may be behind.
    case newToken
    /// An operator asked for the current state.
    case asked
    /// A turn on a phone with frequent pushes.
    case turn
    /// A turn on a phone without frequent pushes.
    case turnWithoutFrequentPushes
    /// A turn whose phone has no priority 10 to spare.
    case turnDemoted
    /// Something that could wait has waited its time.
    case low

    /// For people who ask why a phone was pushed.
    public var description: String {
        switch self {
        case .alert(let kind): "alert: \(kind.inWords)"
        case .end(.adventureOver): "the adventure is over for this phone: final state"
        case .end(.tooOld): "the card has reached the age that phones allow"
        case .end(.replaced): "a newer card shows the adventure"
        case .end(.asked): "an operator asked for the end: current state"
        case .cardEndsSoon: "the card says that it ends soon, for its age"
        case .newToken: "the token is new: current state"
        case .asked: "an operator asked for it: current state"
        case .turn: "a turn, at priority 10 since the phone takes frequent pushes"
        case .turnWithoutFrequentPushes: "a turn, at priority 5 since the phone takes no frequent pushes"
        case .turnDemoted: "a turn, at priority 5 since what is left of the budget is kept for alerts"
        case .low: "small changes, together in one push"
        }
    }
}
