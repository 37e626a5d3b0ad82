public import Encodings
public import PushRules

/// One push as the cadence plans it; its state is rendered when the request is written.
public struct PlannedPush: Hashable, Sendable {
    /// The kind of a push, with its date in seconds since 1970.
    public enum Event: Hashable, Sendable {
        /// Shows the newest state, which is out of date from `staleDate` on.
        case update(staleDate: Int64)
        /// Ends the activity, which the Lock Screen removes at `dismissalDate`.
        case end(dismissalDate: Int64)
    }

    /// The kind of push.
    public let event: Event
    /// `apns-priority`.
    public let priority: PushPriority
    /// The alert that lights the screen, if any.
    public let alert: PushAlert?
    /// The moments of the alert's events, oldest first; several when one alert reports several companions who are
    /// down.
    public let alertMoments: [Timestamp]
    /// The timestamp in seconds since 1970, larger than the timestamp of every earlier push of the activity.
    public let timestamp: Int64
    /// `apns-expiration` in seconds since 1970: how long APNs keeps the push for a phone that it cannot reach.
    public let expiration: Int64
    /// The moment of the newest event of the alert; without an alert, of the newest change that the state shows.
    public let changeAt: Timestamp
    /// The first moment for which something was pending when it was planned, whether or not the push reports it.
    public let pendingSince: Timestamp?
    /// The number of pending events that this push reports.
    public let coveredEvents: Int
    /// The notice that the activity shows instead of the last event; nil without one.
    public let notice: ActivityNotice?
    /// The reason why the push is sent, and why at its priority.
    public let reason: SendReason
}

/// The reason why an activity ends.
public enum EndReason: Hashable, Sendable {
    /// The adventure is over, or its player left the party.
    case adventureOver
    /// The activity is close to the age at which the system ends it.
    case tooOld
    /// A newer activity of the same player shows the adventure.
    case replaced
    /// An operator requested it.
    case requested
}

/// The reason for a push and for its priority.
public enum SendReason: Hashable, Sendable {
    /// An alert, which is never demoted.
    case alert(AlertKind)
    /// The end with the final state.
    case end(EndReason)
    /// A warning that the system will soon end the activity because of its age.
    case activityEndsSoon
    /// The token is new, and the phone may show an older state.
    case newToken
    /// An operator requested the current state.
    case requested
    /// A turn, on a phone with frequent pushes.
    case turn
    /// A turn, on a phone without frequent pushes.
    case turnWithoutFrequentPushes
    /// A turn, on a phone without spare budget of priority 10.
    case turnDemoted
    /// Small changes after their spacing.
    case low
}
