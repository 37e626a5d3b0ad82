/// What one event owes one phone.
public struct PushRule: Hashable, Sendable {
    /// How soon the phone should show the state.
    public let urgency: Urgency
    /// What lights the phone's screen, if anything.
    public let alert: PushAlert?
    /// Alerts that nobody needs any more once this has happened.
    public let cancels: [AlertKind]
    /// Whether the activity gets `end` with the state after this event.
    public let endsActivity: Bool
    /// How long the state after this event stays true; nil when the event says nothing of that.
    public let freshness: Freshness?
    /// Why, as the end of a sentence, for the table of rules.
    public let reason: String

    init(
        _ urgency: Urgency,
        alert: PushAlert? = nil,
        cancels: [AlertKind] = [],
        endsActivity: Bool = false,
        fresh freshness: Freshness? = nil,
        because reason: String
    ) {
        self.urgency = urgency
        self.alert = alert
        self.cancels = cancels
        self.endsActivity = endsActivity
        self.freshness = freshness
        self.reason = reason
    }
}

/// How long a phone may show a state before it says that it may be wrong: the ground of `stale-date`.
public enum Freshness: String, Hashable, Sendable, CaseIterable {
    /// In a fight, or while a hero waits for help: the next turn changes it.
    case brief
    /// On the way: what happens there is small, so that a phone in a tunnel is right for longer.
    case lasting
}

/// How soon a phone should show what happened.
public enum Urgency: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// Whenever it suits the phone: costs no budget.
    case low
    /// A turn of a boss fight: soon on phones with frequent pushes, when it suits the others.
    case turn
    /// At once.
    case high

    /// The priority that a push of this urgency has while the budget allows it.
    /// - Parameter frequentPushesEnabled: what the app reported for the activity.
    /// - Returns: 5 or 10.
    public func priority(frequentPushesEnabled: Bool) -> PushPriority {
        switch self {
        case .low: .low
        case .turn: frequentPushesEnabled ? .high : .low
        case .high: .high
        }
    }

    /// The more urgent is larger.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The value of `apns-priority`: Apple names these two for Live Activities.
public enum PushPriority: Int, Hashable, Sendable, CaseIterable {
    /// Delivered when it suits the device; counts towards no budget.
    case low = 5
    /// Delivered at once; counts towards the device's budget.
    case high = 10
}
