import PushRules

/// A summary of the events since the phone was last updated: how many, how urgent, and their positions.
struct PendingState: Sendable {
    /// The first position that the phone does not show.
    var firstPosition: Int64
    /// The last position that the phone does not show.
    var lastPosition: Int64
    /// The highest urgency of the events.
    var urgency: Urgency
    /// The number of events.
    var events: Int
    /// The position of the first push that an operator requested; nil without a request.
    var requestPosition: Int64?

    func merged(with other: Self?) -> Self {
        guard let other else { return self }
        return Self(
            firstPosition: min(firstPosition, other.firstPosition),
            lastPosition: max(lastPosition, other.lastPosition),
            urgency: max(urgency, other.urgency),
            events: events + other.events,
            requestPosition: [requestPosition, other.requestPosition].compactMap(\.self).min()
        )
    }

    /// The part that stays pending when an alert's push shows the state: a requested push is still sent,
    /// since the operator waits for its report.
    var requestAlone: Self? {
        requestPosition.map {
            Self(firstPosition: $0, lastPosition: lastPosition, urgency: .high, events: 0, requestPosition: $0)
        }
    }
}
