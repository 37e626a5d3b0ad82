import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import PushDispatch

/// The response to `GET /admin/v1/activities/{activityID}/decisions`.
struct DecisionsView: Encodable {
    let activity: ActivityDetailView
    /// The decision records, oldest first.
    let decisions: [DecisionView]
    /// The last push that an operator requested, once its outcome is known.
    let requestedPush: RequestedPushView?
    /// The last push that an operator requested, until its outcome is known.
    let pendingPush: PendingPushView?
    /// Whether a dispatcher holds the lease of the activity's shard.
    let hasDispatcher: Bool
    /// What the device has reported; nil before its first report.
    let receipts: ReceiptsView?

    init(_ history: ActivityHistory, requested: RequestedPush?, hasDispatcher: Bool) {
        activity = history.view
        decisions = history.decisions
        receipts = history.receipts.map(ReceiptsView.init)
        self.hasDispatcher = hasDispatcher
        requestedPush = requested.flatMap(RequestedPushView.init)
        // An activity that is not live gets no more pushes, so the request came too late.
        let isLive = activity.activity.state == Activity.State.live.rawValue
        pendingPush = isLive ? requested.flatMap(PendingPushView.init) : nil
    }
}

/// A push that an operator requested and whose outcome is not known yet.
struct PendingPushView: Encodable {
    /// The log position of the request.
    let position: Int64
    /// The kind of push: `update` or `end`.
    let event: String
    let requestedAt: String

    /// Creates the view; nil if the outcome is known.
    init?(_ request: RequestedPush) {
        guard let pending = request.pendingRequest else { return nil }
        (position, event, requestedAt) = (request.position, pending.event, pending.at.rfc3339)
    }
}

/// A push that an operator requested, with its outcome.
struct RequestedPushView: Encodable {
    /// The log position of the request.
    let position: Int64
    let push: PushView

    /// Creates the view; nil if this release cannot decode the stored report of another release.
    init?(_ request: RequestedPush) {
        guard let push = try? JSONDecoder().decode(PushView.self, from: Data(request.report.utf8)) else { return nil }
        (position, self.push) = (request.position, push)
    }
}

/// The stored report of one push, with the request to APNs and its response: the schema `TestPush`.
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
    let outcome: String
    let status: Int?
    let reason: String?
    let apnsUniqueID: String?
    let meaning: String
    let remedy: String
}

/// A decision record of an activity, with names for programs and sentences for people.
struct DecisionView: Encodable {
    let at: String
    /// The moment of the newest change that it concerns.
    let changeAt: String
    /// The number of events that it covers.
    let events: Int
    /// The name of the decision, such as `sent`, `delayed` or `cancelled`.
    let decision: String
    /// The name of the outcome at APNs, if a push was sent and its outcome is known.
    let outcome: String?
    /// The `apns-priority` of the push, if one was sent.
    let priority: Int?
    /// The cause of the decision, as a sentence.
    let trigger: String
    /// The decision, as a sentence.
    let action: String
    /// The reason for the action, as a clause; nil if the text of the action includes it.
    let reason: String?
    let until: String?
    /// The sequence of the state that a push carried; nil if none was sent.
    let sequence: Int?
    /// The `timestamp` of the push, in seconds since 1970.
    let timestamp: Int64?
    /// When APNs accepted the push; nil if it has not, or if a later record has its outcome.
    let acceptedAt: String?
    /// Whether the device has shown the push; nil if APNs has accepted none.
    let verdict: VerdictView?

    init(_ entry: DecisionRecord, _ judged: JudgedPush? = nil) {
        at = entry.at.rfc3339
        changeAt = entry.changeAt.rfc3339
        events = entry.events
        decision = entry.name
        outcome = entry.result?.name
        priority = entry.priority
        trigger = entry.triggerText
        action = entry.actionText
        reason = entry.reasonText
        until = entry.until?.rfc3339
        sequence = entry.push?.sequence
        timestamp = entry.push?.timestamp
        acceptedAt = (judged?.push.acceptedAt ?? entry.push?.acceptedAt)?.rfc3339
        verdict = judged.map(VerdictView.init)
    }
}
