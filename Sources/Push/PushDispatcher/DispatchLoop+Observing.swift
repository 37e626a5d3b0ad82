import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import PushRules
import ServiceRuntime

// The effects of log entries on the followed activities.

extension DispatchLoop {
    func observe(
        _ entry: LogEntry,
        in adventure: FollowedAdventure,
        of followed: FollowedShard,
        registered: [ActivityKey: RegisteredActivity]
    ) {
        let now = runtime.now()
        switch entry.content {
        case .event(let event, _):
            adventure.eventTimes.record(entry.position, at: entry.at)
            observe(event, of: entry, in: adventure, of: followed, at: now)
        case .unreadable(let error):
            logger.error("a log entry cannot be decoded", metadata: ["error": "\(error)"])
            for activity in adventure.activities.values {
                activity.cadence.currentStateRequired(position: entry.position, at: now)
                activity.decisions.observed(.unreadableEvent, position: entry.position)
            }
        case .activityRegistered(let id, let sequence):
            adventure.eventTimes.record(entry.position, at: entry.at)
            let key = ActivityKey(adventureID: entry.adventureID, activityID: id)
            guard let newest = registered[key], newest.activity.state == .live else { return }
            let registration = Registration(key: key, newest: newest, position: entry.position, sequence: sequence)
            observe(registration, in: adventure, of: followed, at: now)
            followed.activity(key)?.keepTrace(of: entry)
        case .activityPushRequested(let id, let event):
            adventure.eventTimes.record(entry.position, at: entry.at)
            observe(event, requestedFor: id, in: entry, of: followed, at: now)
            followed.activity(ActivityKey(adventureID: entry.adventureID, activityID: id))?.keepTrace(of: entry)
        case .activityReleased(let id):
            let key = ActivityKey(adventureID: entry.adventureID, activityID: id)
            guard let activity = followed.activity(key) else { return }
            activity.decisions.observed(.released, position: entry.position)
            activity.decisions.stopped(.departed, at: now)
            followed.stopFollowing(key, activity.decisions)
        }
    }

    private func observe(
        _ event: AdventureEvent,
        of entry: LogEntry,
        in adventure: FollowedAdventure,
        of followed: FollowedShard,
        at now: Timestamp
    ) {
        for activity in adventure.activities.values {
            let rule = PushRules.rule(for: event, after: adventure.stored.adventure, receiver: activity.seat)
            // The time of the event and not the current one, so that reading an event late does not extend the expiry
            // of its alert. Neither may the clock of the node that wrote the event, if it is ahead.
            activity.cadence.observe(rule, position: entry.position, at: min(entry.at, now))
            activity.decisions.observed(event: event.kind, urgency: rule.urgency, position: entry.position)
            activity.keepTrace(of: entry)
            reportDrops(of: activity, in: followed, because: .event(kind: event.kind))
        }
    }

    /// The registration of an activity, or of a new token of it, that is still live.
    private struct Registration {
        let key: ActivityKey
        let newest: RegisteredActivity
        let position: Int64
        /// The number of events of the adventure at that time.
        let sequence: Int
    }

    private func observe(
        _ registration: Registration,
        in adventure: FollowedAdventure,
        of followed: FollowedShard,
        at now: Timestamp
    ) {
        let (key, position) = (registration.key, registration.position)
        let (newest, past) = (registration.newest.activity, registration.newest.decisions)
        // An acknowledged registration does not become pending again, but the end of its predecessors still may.
        guard position > newest.acknowledgedPosition else {
            if let known = followed.activity(key) { endPredecessors(of: known, in: adventure, position: position) }
            return
        }
        let change: DecisionRecord.Trigger = newest.generation == 1 ? .registered : .tokenReplaced
        guard serves(newest) else {
            var decisions = followed.activity(key)?.decisions ?? past.map { DecisionLog(encoded: $0) } ?? DecisionLog()
            decisions.observed(change, position: position)
            decisions.stopped(.notServed, at: now)
            followed.stopFollowing(key, decisions)
            return
        }
        guard let activity = followed.activity(key) ?? follow(newest, in: adventure, decisions: past) else { return }
        activity.decisions.observed(change, position: position)
        if newest.environment != activity.activity.environment {
            // It waits in the queue of its old token's environment.
            pushQueues[activity.activity.environment]?.remove(activity)
        }
        activity.activity = newest
        activity.backoff.reset()
        activity.hasExcusedRejection = false
        activity.isTokenProven = false
        activity.doubtfulRejections = 0
        // The activity has ended, so the row with the new token is closed too.
        if activity.terminalState == .ended { followed.dirtyActivities.insert(key) }
        if activity.terminalState == .dead { activity.terminalState = .live }
        activity.tokenDiedAt = nil
        activity.cadence.currentStateRequired(position: position, at: now)
        endPredecessors(of: activity, in: adventure, position: position)
        // The adventure had ended before the registration; a later end comes later in the log.
        if adventure.stored.endedAt != nil, adventure.stored.adventure.sequence == registration.sequence {
            activity.cadence.adventureEnded(position: position, at: now)
        }
    }

    private func observe(
        _ event: RequestedPush.Event,
        requestedFor id: ActivityID,
        in entry: LogEntry,
        of followed: FollowedShard,
        at now: Timestamp
    ) {
        // An activity that is not followed is over, or this node does not send to it: its decisions say which.
        guard
            let activity = followed.activity(ActivityKey(adventureID: entry.adventureID, activityID: id)),
            entry.position > activity.activity.acknowledgedPosition
        else { return }
        activity.requestPosition = entry.position
        switch event {
        case .update:
            activity.decisions.observed(.pushRequested, position: entry.position)
            activity.cadence.pushRequested(position: entry.position, at: now)
        case .end:
            activity.decisions.observed(.endRequested, position: entry.position)
            activity.cadence.endRequested(position: entry.position, at: now)
        }
    }
}
