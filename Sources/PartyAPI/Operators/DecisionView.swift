import GameCore
import PushCadence

/// The answer to `GET /admin/v1/activities/{activityID}/decisions`.
struct DecisionsView: Encodable {
    let activity: ActivityDetailView
    /// Oldest first.
    let decisions: [DecisionView]
}

/// What was decided for an activity at a moment, in words for people and for programs.
struct DecisionView: Encodable {
    let at: String
    /// The position of the log that it is about.
    let position: Int64
    /// How many events it is about.
    let events: Int
    /// Such as `sent`, `delayed`, `cancelled`.
    let decision: String
    /// How the push went, where one was sent and the answer is known.
    let answer: String?
    /// `apns-priority`, where a push was sent.
    let priority: Int?
    let happened: String
    let decided: String
    let why: String?
    let until: String?

    init(_ entry: RecordedDecision) {
        at = entry.at.rfc3339
        position = entry.position
        events = entry.events
        decision = entry.name
        answer = entry.answer?.name
        priority = entry.priority
        happened = entry.happened
        decided = entry.decided
        why = entry.why
        until = entry.until?.rfc3339
    }
}
