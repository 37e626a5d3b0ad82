import PushRules

/// A summary of the events since the phone was last updated: how many, how urgent, and where they are in the log.
struct PendingState: Sendable {
    /// The first log position that the phone does not show.
    var since: Int64
    /// The last log position that the phone does not show.
    var latest: Int64
    /// The highest urgency of the events.
    var urgency: Urgency
    /// The number of events.
    var events: Int
    /// The log position of the first push that an operator requested; nil without a request.
    var requestedAt: Int64?

    func merged(with other: Self?) -> Self {
        guard let other else { return self }
        return Self(
            since: min(since, other.since),
            latest: max(latest, other.latest),
            urgency: max(urgency, other.urgency),
            events: events + other.events,
            requestedAt: [requestedAt, other.requestedAt].compactMap(\.self).min()
        )
    }

    /// The part that stays pending when an alert's push shows the state: a requested push is still sent by itself,
    /// since its operator gets its result.
    var requestAlone: Self? {
        requestedAt.map { Self(since: $0, latest: latest, urgency: .high, events: 0, requestedAt: $0) }
    }
}
