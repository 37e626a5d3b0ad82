package import Encodings
package import Foundation
package import GameCore
package import GameLog
package import PushCadence

/// A push that a follower wants to be sent, with the values that the answer to it is matched against.
///
/// It is an object, so that passing it on costs one reference count instead of one for each of its values.
package final class PushOrder: Sendable {
    /// The number of the push in this node; an activity ignores the answer to any push except the one in flight.
    package let number: Int
    package let shard: Shard
    /// The epoch of the lease.
    package let epoch: Int64
    package let key: ActivityKey
    /// The token, and its generation.
    package let token: [UInt8]
    package let generation: Int
    package let reputation: CircuitBreaker.TokenReputation
    package let environment: PushEnvironment
    package let planned: PlannedPush
    /// The moment of the newest change that the push reports; nil if time alone caused the push.
    package let eventAt: Timestamp?
    /// When the push was due, by the cadence and the moment of what it reports; nil if time alone caused the push.
    package let dueAt: Timestamp?
    /// The log position of the operator's request for the push; nil if it was not requested.
    package let requestPosition: Int64?
    /// The traces of the requests whose effects it shows, oldest first.
    package let traces: [TraceCarrier]
    /// `apns-id`.
    package var apnsID: UUID {
        planned.reason.apnsID(of: key, generation: generation, changeAt: planned.changeAt)
    }
    /// The payload as JSON.
    package let payload: [UInt8]
    /// The time after which it must not be sent: another node may hold the lease then.
    package let sendBy: ContinuousClock.Instant

    /// Creates the order of a planned push to an activity.
    init(
        _ planned: PlannedPush,
        number: Int,
        to activity: FollowedActivity,
        of shard: Shard,
        epoch: Int64,
        dueAt: Timestamp,
        payload: [UInt8],
        sendBy: ContinuousClock.Instant
    ) {
        let row = activity.activity
        self.number = number
        self.shard = shard
        self.epoch = epoch
        key = activity.key
        token = row.pushToken
        generation = row.generation
        reputation = activity.reputation
        environment = row.environment
        self.planned = planned
        let isCausedByEvent = planned.reason.isCausedByEvent
        eventAt = isCausedByEvent ? planned.changeAt : nil
        self.dueAt = isCausedByEvent ? dueAt : nil
        requestPosition = planned.reason.carriesRequest ? activity.requestPosition : nil
        traces = activity.pendingTraces.traces
        self.payload = payload
        self.sendBy = sendBy
    }
}

extension SendReason {
    /// Whether an event caused the push, and not the age or the replacement of the activity.
    fileprivate var isCausedByEvent: Bool {
        switch self {
        case .alert, .end(.adventureOver), .end(.requested), .newToken, .requested, .turn, .turnWithoutFrequentPushes,
            .turnDemoted, .low:
            true
        case .end(.tooOld), .end(.replaced), .activityEndsSoon: false
        }
    }

    /// Whether an operator who requested a push gets the report of this one: it is that push, or no push follows it.
    fileprivate var carriesRequest: Bool {
        switch self {
        case .requested, .end: true
        case .alert, .newToken, .turn, .turnWithoutFrequentPushes, .turnDemoted, .low, .activityEndsSoon: false
        }
    }
}

/// A push with the answer to it.
package struct AnsweredPush: Sendable {
    package let order: PushOrder
    package let answer: PushAnswer
    /// Whether a rejection of the token is credible.
    package let classification: CircuitBreaker.Classification
    /// The report for the operator who requested the push, as JSON; nil if it was not requested.
    package let report: String?

    /// Creates an answered push.
    package init(
        _ order: PushOrder,
        _ answer: PushAnswer,
        _ classification: CircuitBreaker.Classification,
        report: String? = nil
    ) {
        self.order = order
        self.answer = answer
        self.classification = classification
        self.report = report
    }
}
