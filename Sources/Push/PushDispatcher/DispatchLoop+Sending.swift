import APNsClient
import Encodings
import GameCore
import GameStore
import LiveActivityContent
import Logging
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    func send(
        _ planned: PlannedPush,
        to activity: FollowedActivity,
        showing adventure: FollowedAdventure,
        of followed: FollowedShard
    ) {
        activity.lastTimestamp = planned.timestamp
        guard let deviceToken = DeviceToken(bytes: activity.activity.pushToken) else {
            logger.error("a stored push token is empty or too long", metadata: metadata(of: activity.key, [:]))
            complete(planned, of: activity, in: followed, .tokenDead, because: .invalidRequest)
            return
        }
        if !adventure.isEncoded { encodedAdventures.add(adventure) }
        do {
            let payload = LiveActivityPayload(
                timestamp: planned.timestamp,
                event: event(of: planned, for: activity, showing: adventure),
                contentState: adventure.contentState(for: activity.seat, notice: planned.notice)
            )
            let request = APNsPush(
                deviceToken: deviceToken,
                topic: settings.topic,
                priority: planned.priority == .high ? .high : .low,
                expirationEpochSeconds: planned.expiration,
                id: OutgoingPush.apnsID(
                    of: activity.key,
                    generation: activity.activity.generation,
                    planned: planned
                ),
                payload: try payload.encoded(),
                // Afterwards another node may hold the lease.
                sendBy: followed.sendUntil
            )
            // The result was checked before; while the breaker is open, this push is its probe.
            _ = breakers.tryAcquire(activity.activity.environment, for: activity.reputation, at: runtime.uptime())
            pushes += 1
            activity.inFlight = pushes
            inFlight[activity.activity.environment, default: 0] += 1
            outgoing.yield(
                OutgoingPush(
                    number: pushes,
                    shard: followed.shard,
                    epoch: followed.lease.epoch,
                    key: activity.key,
                    generation: activity.activity.generation,
                    environment: activity.activity.environment,
                    planned: planned,
                    eventAt: planned.reason.isCausedByEvent ? planned.changeAt : nil,
                    requestPosition: planned.reason.carriesRequest ? activity.requestPosition : nil,
                    traces: activity.pendingTraces.traces,
                    request: request
                )
            )
        } catch {
            logger.error("a push cannot be built", metadata: metadata(of: activity.key, ["error": "\(error)"]))
            complete(planned, of: activity, in: followed, .rejected, because: .invalidRequest)
        }
    }

    func event(
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
