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
    /// Why, as the end of a sentence, for the table of rules.
    public let reason: String

    init(
        _ urgency: Urgency,
        alert: PushAlert? = nil,
        cancels: [AlertKind] = [],
        endsActivity: Bool = false,
        because reason: String
    ) {
        self.urgency = urgency
        self.alert = alert
        self.cancels = cancels
        self.endsActivity = endsActivity
        self.reason = reason
    }
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
