import Encodings
import GameCore
import GameLog
import LiveActivityContent
import PushCadence
import PushRules

extension ShardFollower {
    /// Orders a push that the cadence has planned.
    mutating func send(
        _ planned: PlannedPush,
        to activity: FollowedActivity,
        showing adventure: FollowedAdventure,
        _ context: inout FollowerContext
    ) {
        activity.lastTimestamp = planned.timestamp
        if !adventure.isEncoded { context.encodedAdventures.add(adventure) }
        let payload: [UInt8]
        do {
            payload = try LiveActivityPayload(
                timestamp: planned.timestamp,
                event: event(of: planned, for: activity, showing: adventure),
                contentState: adventure.contentState(for: activity.seat, notice: planned.notice)
            ).encoded()
        } catch {
            context.effects.append(.notBuilt(activity.key, error))
            return complete(planned, of: activity, .rejected, because: .invalidRequest, &context)
        }
        let row = activity.activity
        let number = context.take(in: row.environment, for: activity.reputation)
        activity.inFlight = number
        context.effects.append(
            .send(
                PushOrder(
                    number: number,
                    shard: shard,
                    epoch: epoch,
                    key: activity.key,
                    token: row.pushToken,
                    generation: row.generation,
                    reputation: activity.reputation,
                    environment: row.environment,
                    planned: planned,
                    eventAt: planned.reason.isCausedByEvent ? planned.changeAt : nil,
                    requestPosition: planned.reason.carriesRequest ? activity.requestPosition : nil,
                    traces: activity.pendingTraces.traces,
                    payload: payload,
                    // Afterwards another node may hold the lease.
                    sendBy: sendUntil
                )
            )
        )
    }

    private func event(
        of planned: PlannedPush,
        for activity: FollowedActivity,
        showing adventure: FollowedAdventure
    ) -> LiveActivityPayload.Event {
        switch planned.event {
        case .update(let staleDate):
            .update(
                staleDate: staleDate,
                relevanceScore: Relevance(of: adventure.stored.adventure, for: activity.seat).score,
                alert: planned.alert?.content
            )
        case .end(let dismissalDate):
            .end(dismissalDate: dismissalDate)
        }
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
