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
    /// Where in the log an operator asks for it first; nil when nobody does.
    var askedAt: Int64?

    mutating func merge(_ other: Self) {
        since = min(since, other.since)
        latest = max(latest, other.latest)
        urgency = max(urgency, other.urgency)
        events += other.events
        askedAt = [askedAt, other.askedAt].compactMap(\.self).min()
    }

    /// What is left when the state goes along with an alert: who asked for a push gets one of its own, and hears of that one.
    var unanswered: Self? {
        askedAt.map { Self(since: $0, latest: latest, urgency: .high, events: 0, askedAt: $0) }
    }
}
