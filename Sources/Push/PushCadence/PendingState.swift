import Encodings
import PushRules

/// A summary of the events since the phone was last updated: how many, how urgent, and their moments.
struct PendingState: Sendable {
    /// The first moment that the phone does not show.
    var firstAt: Timestamp
    /// The last moment that the phone does not show.
    var lastAt: Timestamp
    /// The highest urgency of the events, or of a request.
    var urgency: Urgency
    /// The number of events.
    var events: Int
    /// The moment of the first push that an operator requested; nil without a request.
    var requestedAt: Timestamp?
    /// Whether the token is new, so that the state is due at once.
    var isForNewToken = false

    func merged(with other: Self?) -> Self {
        guard let other else { return self }
        return Self(
            firstAt: min(firstAt, other.firstAt),
            lastAt: max(lastAt, other.lastAt),
            urgency: max(urgency, other.urgency),
            events: events + other.events,
            requestedAt: earlier(requestedAt, other.requestedAt),
            isForNewToken: isForNewToken || other.isForNewToken
        )
    }

    /// The part that stays pending when an alert's push shows the state: a requested push is still sent,
    /// since the operator waits for its report.
    var requestAlone: Self? {
        requestedAt.map {
            Self(
                firstAt: $0,
                lastAt: lastAt,
                urgency: PushOccasion.pushRequested.urgency,
                events: 0,
                requestedAt: $0
            )
        }
    }
}
