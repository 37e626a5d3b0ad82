import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushRules
import ServiceRuntime

// What an entry of the log means for the activities that are followed.

extension DispatchLoop {
    func observe(
        _ record: LogRecord,
        in adventure: FollowedAdventure,
        of followed: FollowedShard,
        registered: [ActivityKey: RegisteredActivity]
    ) {
        let now = runtime.now()
        switch record.entry {
        case .event(let event, _):
            adventure.moments.note(record.position, at: record.at)
            observe(event, of: record, in: adventure, of: followed, at: now)
        case .unreadable(let error):
            logger.error("an entry of the log cannot be read", metadata: ["error": "\(error)"])
            for activity in adventure.activities.values {
                activity.cadence.owesCurrentState(position: record.position, at: now)
                activity.decisions.happened(.unreadableEvent, position: record.position)
            }
        case .activityRegistered(let id, let sequence):
            adventure.moments.note(record.position, at: record.at)
            let key = ActivityKey(adventureID: record.adventureID, activityID: id)
            guard let newest = registered[key], newest.activity.state == .live else { return }
            let registration = Registration(key: key, newest: newest, position: record.position, sequence: sequence)
            observe(registration, in: adventure, of: followed, at: now)
        case .activityPushAsked(let id, let event):
            adventure.moments.note(record.position, at: record.at)
            observe(event, askedFor: id, in: record, of: followed, at: now)
        case .activityReleased(let id):
            let key = ActivityKey(adventureID: record.adventureID, activityID: id)
            guard let activity = followed.activity(key) else { return }
            activity.decisions.happened(.released, position: record.position)
            activity.decisions.ended(.letGo, at: now)
            followed.part(from: key, activity.decisions)
        }
    }

    private func observe(
        _ event: Event,
        of record: LogRecord,
        in adventure: FollowedAdventure,
        of followed: FollowedShard,
        at now: Timestamp
    ) {
        for activity in adventure.activities.values {
            let rule = PushRules.rule(for: event, after: adventure.stored.adventure, receiver: activity.seat)
            // At the time of the event, not of its reading: an alert that comes late is late. A clock that runs ahead
            // elsewhere must not keep one for longer.
            activity.cadence.observe(rule, position: record.position, at: min(record.at, now))
            activity.decisions.happened(event.kind, urgency: rule.urgency, position: record.position)
            reportDrops(of: activity, in: followed, because: .event(kind: event.kind))
        }
    }

    /// What the log tells of an activity that was registered, or got a new token, and is live still.
    private struct Registration {
        let key: ActivityKey
        let newest: RegisteredActivity
        let position: Int64
        /// How many events its adventure had then.
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
        // What was settled before, by this node or another, is not owed again; what it replaces may still be.
        guard position > newest.settledPosition else {
            if let known = followed.activity(key) { retireCards(olderThan: known, in: adventure, position: position) }
            return
        }
        let change: RecordedDecision.Change = newest.generation == 1 ? .registered : .tokenReplaced
        guard serves(newest) else {
            var decisions = followed.activity(key)?.decisions ?? past.map { DecisionLog(encoded: $0) } ?? DecisionLog()
            decisions.happened(change, position: position)
            decisions.ended(.notServed, at: now)
            followed.part(from: key, decisions)
            return
        }
        guard let activity = followed.activity(key) ?? follow(newest, in: adventure, decisions: past) else { return }
        activity.decisions.happened(change, position: position)
        if newest.environment != activity.activity.environment {
            // It waits where pushes to its old token would have gone.
            waitingForRoom[activity.activity.environment]?.leave(activity)
        }
        activity.activity = newest
        activity.backoff.reset()
        activity.hasBeenExcused = false
        activity.isProven = false
        activity.doubts = 0
        // It has had its end, or had none to get: the row of the new token is closed as well.
        if activity.fate == .ended { followed.unwritten.insert(key) }
        if activity.fate == .dead { activity.fate = .live }
        activity.diedAt = nil
        activity.cadence.owesCurrentState(position: position, at: now)
        retireCards(olderThan: activity, in: adventure, position: position)
        // Over already when the phone registered; an end that came later is in the log after this entry.
        if adventure.stored.endedAt != nil, adventure.stored.adventure.sequence == registration.sequence {
            activity.cadence.ended(position: position, at: now)
        }
    }

    private func observe(
        _ event: AskedPush.Event,
        askedFor id: ActivityID,
        in record: LogRecord,
        of followed: FollowedShard,
        at now: Timestamp
    ) {
        // One that is not followed is over, or nobody here sends to it: its decisions say which.
        guard
            let activity = followed.activity(ActivityKey(adventureID: record.adventureID, activityID: id)),
            record.position > activity.activity.settledPosition
        else { return }
        activity.askedAt = record.position
        switch event {
        case .update:
            activity.decisions.happened(.pushAsked, position: record.position)
            activity.cadence.stateAsked(position: record.position, at: now)
        case .end:
            activity.decisions.happened(.endAsked, position: record.position)
            activity.cadence.endAsked(position: record.position, at: now)
        }
    }
}
