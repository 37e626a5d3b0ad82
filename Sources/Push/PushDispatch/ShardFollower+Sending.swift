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
        dueAt: Timestamp,
        to activity: FollowedActivity,
        showing adventure: FollowedAdventure,
        _ context: inout FollowerContext
    ) {
        activity.lastTimestamp = planned.timestamp
        activity.reservedAt = nil
        if !adventure.isEncoded { context.encodedAdventures.add(adventure) }
        let state = adventure.stored.adventure
        let payload: [UInt8]
        do {
            payload = try LiveActivityPayload(
                timestamp: planned.timestamp,
                event: event(of: planned, for: activity, showing: state),
                contentState: adventure.contentState(for: activity.seat, of: state, notice: planned.notice)
            ).encoded()
        } catch {
            context.effects.append(.notBuilt(activity.key, error))
            return complete(planned, of: activity, .rejected, because: .invalidRequest, &context)
        }
        let order = PushOrder(
            planned,
            number: context.take(in: activity.activity.environment, for: activity.reputation),
            to: activity,
            of: shard,
            epoch: epoch,
            dueAt: dueAt,
            payload: payload,
            // Afterwards another node may hold the lease.
            sendBy: context.sendUntil
        )
        activity.inFlight = order
        context.effects.append(.send(order))
    }

    private func event(
        of planned: PlannedPush,
        for activity: FollowedActivity,
        showing state: Adventure
    ) -> LiveActivityPayload.Event {
        switch planned.event {
        case .update(let staleDate):
            .update(
                staleDate: staleDate,
                relevanceScore: Relevance(of: state, for: activity.seat).score,
                alert: planned.alert?.content
            )
        case .end(let dismissalDate):
            .end(dismissalDate: dismissalDate)
        }
    }
}
