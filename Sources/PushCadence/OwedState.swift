import PushRules

/// The newest state is owed: of all that happened since, only how much, how urgent and where it is in the log.
struct OwedState: Sendable {
    /// The first position that the phone does not show.
    var since: Int64
    /// The last one.
    var latest: Int64
    /// The most urgent of all.
    var urgency: Urgency
    /// How many events there were.
    var events: Int
    /// Whether an operator asked for it.
    var isAskedFor = false

    mutating func merge(_ other: Self) {
        since = min(since, other.since)
        latest = max(latest, other.latest)
        urgency = max(urgency, other.urgency)
        events += other.events
        isAskedFor = isAskedFor || other.isAskedFor
    }
}
