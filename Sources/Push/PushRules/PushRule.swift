/// The requirements of one event for one phone.
public struct PushRule: Hashable, Sendable {
    /// The urgency with which the phone should show the state.
    public let urgency: Urgency
    /// The urgency of the state by itself: without the alert, if that is cancelled or waits, and before the end.
    public let stateUrgency: Urgency
    /// The alert that the phone gets, if any.
    public let alert: PushAlert?
    /// The kinds of waiting alerts that the event cancels.
    public let cancels: [AlertKind]
    /// Whether the activity ends with the state after this event.
    public let endsActivity: Bool
    /// The freshness of the state after this event; nil if the event does not change that.
    public let freshness: Freshness?
    /// The reason for the rule, as a clause, for the table of rules.
    public let reason: String

    init(
        _ urgency: Urgency,
        state stateUrgency: Urgency? = nil,
        alert: PushAlert? = nil,
        cancels: [AlertKind] = [],
        endsActivity: Bool = false,
        freshness: Freshness? = nil,
        because reason: String
    ) {
        precondition(urgency < .high || stateUrgency != nil, "only an alert or an end can have high urgency")
        self.urgency = urgency
        self.stateUrgency = stateUrgency ?? urgency
        self.alert = alert
        self.cancels = cancels
        self.endsActivity = endsActivity
        self.freshness = freshness
        self.reason = reason
    }
}

/// The time for which a state stays true, from which `stale-date` is derived.
public enum Freshness: String, Hashable, Sendable, CaseIterable {
    /// A fight, or a hero who waits for help: the next turn changes the state.
    case brief
    /// A journey: its events are small, so the state of a phone without a connection stays true for longer.
    case lasting

    /// Returns the default time after which a phone shows a state as out of date.
    /// - Parameter frequentPushesEnabled: the value that the app reported.
    /// - Returns: the default of the settings of the cadence.
    public func staleAfter(frequentPushesEnabled: Bool) -> Duration {
        switch self {
        case .brief: .seconds(frequentPushesEnabled ? 120 : 300)
        case .lasting: .seconds(frequentPushesEnabled ? 240 : 600)
        }
    }
}

/// The urgency of an event, which determines the spacing and the priority of its push.
public enum Urgency: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// Shown at a time that the phone chooses; costs no budget.
    case low
    /// A turn of a boss fight: shown soon on phones with frequent pushes, like ``low`` on others.
    case turn
    /// Shown immediately.
    case high

    /// Returns the priority of a push with this urgency, as long as the budget allows it.
    /// - Parameter frequentPushesEnabled: the value that the app reported for the activity.
    /// - Returns: 5 or 10.
    public func priority(frequentPushesEnabled: Bool) -> PushPriority {
        switch self {
        case .low: .low
        case .turn: frequentPushesEnabled ? .high : .low
        case .high: .high
        }
    }

    /// Orders urgencies from low to high.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A value of `apns-priority`: one of the two that Apple documents for Live Activities.
public enum PushPriority: Int, Hashable, Sendable, CaseIterable {
    /// Delivered at a time that the device chooses; counts towards no budget.
    case low = 5
    /// Delivered immediately; counts towards the device's budget.
    case high = 10
}
