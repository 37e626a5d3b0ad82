import Encodings
import Foundation
import GameCore
import GameStore
import PushCadence

/// The answer to `GET /admin/v1/activities/{activityID}/decisions`.
struct DecisionsView: Encodable {
    let activity: ActivityDetailView
    /// Oldest first.
    let decisions: [DecisionView]
    /// The last push that an operator asked for, once there is an answer.
    let askedPush: AskedPushView?
    /// A push that an operator asked for, and that has not gone out yet.
    let pendingPush: PendingPushView?
    /// Whether somebody sends what is decided: whether a dispatcher has the activity's shard.
    let hasDispatcher: Bool

    init(of activity: ActivityDetailView, _ decisions: [DecisionView], asked: AskedPush?, hasDispatcher: Bool) {
        (self.activity, self.decisions, self.hasDispatcher) = (activity, decisions, hasDispatcher)
        askedPush = asked.flatMap(AskedPushView.init)
        // Nothing goes out any more to one that is over; what it was asked for came too late.
        let isLive = activity.activity.state == Activity.State.live.rawValue
        pendingPush = isLive ? asked.flatMap(PendingPushView.init) : nil
    }
}

/// A push that an operator asked for, and that has no answer yet.
struct PendingPushView: Encodable {
    /// Of the log's entry that asks for it.
    let position: Int64
    /// `update` or `end`.
    let event: String
    let askedAt: String

    /// Nil for what has an answer.
    init?(_ asked: AskedPush) {
        guard let wait = asked.wait else { return nil }
        (position, event, askedAt) = (asked.position, wait.asked, wait.at.rfc3339)
    }
}

/// A push that an operator asked for, with what came of it.
struct AskedPushView: Encodable {
    /// Of the log's entry that asked for it.
    let position: Int64
    let push: PushView

    /// Nil for what another release has written and this one cannot read.
    init?(_ asked: AskedPush) {
        guard let push = try? JSONDecoder().decode(PushView.self, from: Data(asked.report.utf8)) else { return nil }
        (position, self.push) = (asked.position, push)
    }
}

/// Request and answer of one push, as a dispatcher has written them down: the schema `TestPush`.
struct PushView: Codable {
    struct Header: Codable {
        let name: String
        let value: String
    }

    let environment: String
    let host: String
    let port: Int
    let request: String
    let headers: [Header]
    let payload: String
    let payloadBytes: Int
    let answer: String
    let status: Int?
    let reason: String?
    let apnsUniqueID: String?
    let meaning: String
    let remedy: String
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
