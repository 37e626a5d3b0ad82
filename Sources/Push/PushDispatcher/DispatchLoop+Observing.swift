import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import PushRules
import ServiceRuntime

// The effects of log entries and events on the followed activities.

extension DispatchLoop {
    func observe(_ entry: LogEntry, of followed: FollowedShard, registered: [ActivityKey: RegisteredActivity]) {
        if case .outage = entry.content { return observeOutage(entry, of: followed) }
        guard let id = entry.adventureID, let adventure = followed.adventures[id] else { return }
        guard apply(entry, to: adventure, of: followed) else { return }
        switch entry.content {
        case .input:
            for activity in adventure.activities.values { activity.keepTrace(of: entry) }
        case .activityRegistered(let id):
            let key = ActivityKey(adventureID: adventure.id, activityID: id)
            guard let row = registered[key] else { return }
            observeRegistration(entry, of: row, in: adventure, of: followed)
            followed.activity(key)?.keepTrace(of: entry)
        case .activityReleased(let id):
            guard let activity = adventure.activities[id] else { return }
            activity.decisions.observed(.released, at: entry.at)
            activity.decisions.stopped(.departed, at: runtime.now())
            followed.stopFollowing(activity.key, activity.decisions)
        case .activityPushRequested(let id, let event):
            guard let activity = adventure.activities[id] else { return }
            observeRequest(event, in: entry, for: activity)
            activity.keepTrace(of: entry)
            followed.touchedAdventures.insert(adventure.id)
        case .started, .ended, .outage, .unreadable:
            break
        }
    }

    /// Plays an adventure up to the moment of a log entry, applies the entry, and observes the events.
    /// - Returns: false if the adventure cannot be played, and so is not followed any more.
    private func apply(_ entry: LogEntry, to adventure: FollowedAdventure, of followed: FollowedShard) -> Bool {
        do {
            observe(adventure.play(to: entry.at), in: adventure, of: followed)
            observe(try adventure.apply(entry), in: adventure, of: followed)
            followed.schedule(adventure)
            return true
        } catch {
            logger.error(
                "an adventure cannot be played, and is not shown any more",
                metadata: ["adventure": "\(adventure.id)", "error": "\(error)"]
            )
            followed.remove(adventure.id)
            followed.unplayableAdventures.insert(adventure.id)
            return false
        }
    }

    /// Observes the events of an adventure's ticks and inputs.
    func observe(_ events: [StoredEvent], in adventure: FollowedAdventure, of followed: FollowedShard) {
        guard !events.isEmpty else { return }
        followed.touchedAdventures.insert(adventure.id)
        let now = runtime.now()
        for event in events {
            for activity in adventure.activities.values {
                observe(event, for: activity, in: adventure, of: followed, at: now)
            }
        }
    }

    func observe(
        _ event: StoredEvent,
        for activity: FollowedActivity,
        in adventure: FollowedAdventure,
        of followed: FollowedShard,
        at now: Timestamp
    ) {
        let rule = PushRules.rule(for: event.event, after: adventure.stored.adventure, receiver: activity.seat)
        // The moment of the event and not the current one, so that reading an event late does not extend the expiry of
        // its alert. Neither may the database's clock, if it is ahead.
        activity.cadence.observe(rule, moment: event.at, at: min(event.at, now))
        activity.decisions.observed(event: event.event.kind, urgency: rule.urgency, at: event.at)
        reportDrops(of: activity, in: followed, because: .event(kind: event.event.kind))
    }

    /// Moves the timelines of a shard after an outage.
    private func observeOutage(_ entry: LogEntry, of followed: FollowedShard) {
        let adventures = followed.adventures.values.filter { $0.stored.readPosition < entry.position }
        for adventure in adventures.sorted(by: { $0.id < $1.id }) where apply(entry, to: adventure, of: followed) {
            for activity in adventure.activities.values { observeOutage(at: entry.at, for: activity, in: adventure) }
            followed.touchedAdventures.insert(adventure.id)
        }
    }

    /// Makes the new deadline of an open turn pending, since phones show deadlines.
    func observeOutage(at moment: Timestamp, for activity: FollowedActivity, in adventure: FollowedAdventure) {
        // Later than the shard's clock before the outage, which is the moment of what happened last.
        let changeAt = moment + .microseconds(1)
        guard adventure.stored.turnDueAt != nil, changeAt > activity.activity.acknowledgedAt else { return }
        activity.cadence.stateChanged(.turn, moment: changeAt)
        activity.decisions.observed(.outage, at: moment)
    }

    /// Observes the registration of an activity, or of a new token of it, that is still live.
    private func observeRegistration(
        _ entry: LogEntry,
        of row: RegisteredActivity,
        in adventure: FollowedAdventure,
        of followed: FollowedShard
    ) {
        let newest = row.activity
        // Neither an acknowledged registration nor one that was loaded becomes pending again.
        guard entry.at > newest.acknowledgedAt,
            followed.activity(row.key).map({ entry.at > $0.observedRegistrationAt }) ?? true
        else { return }
        followed.touchedAdventures.insert(adventure.id)
        guard let known = followed.activity(row.key) else {
            guard let activity = follow(row, in: adventure, of: followed) else { return }
            observeRegistration(of: activity, in: adventure, at: entry.at)
            endPredecessors(of: activity, in: adventure, of: followed)
            return
        }
        guard serves(newest) else { return stopServing(row, in: followed) }
        if newest.environment != known.activity.environment {
            // It waits in the queue of its old token's environment.
            pushQueues[known.activity.environment]?.remove(known)
        }
        known.activity = newest
        known.backoff.reset()
        known.hasExcusedRejection = false
        known.isTokenProven = false
        known.doubtfulRejections = 0
        // The activity has ended, so the row with the new token is closed too.
        if known.terminalState == .ended { followed.dirtyActivities.insert(row.key) }
        if known.terminalState == .dead { (known.terminalState, known.isClosed) = (.live, false) }
        known.tokenDiedAt = nil
        observeRegistration(of: known, in: adventure, at: entry.at)
        endPredecessors(of: known, in: adventure, of: followed)
    }

    /// Makes the current state pending for the token of an activity.
    func observeRegistration(of activity: FollowedActivity, in adventure: FollowedAdventure, at moment: Timestamp) {
        let now = runtime.now()
        activity.observedRegistrationAt = moment
        activity.decisions.observed(activity.activity.registrationTrigger, at: moment)
        activity.cadence.currentStateRequired(moment: moment, at: now)
        // If the adventure ends later, the end is observed later.
        if let endedAt = adventure.stored.endedAt, endedAt <= moment {
            activity.cadence.adventureEnded(moment: moment, at: now)
        }
    }

    private func observeRequest(_ event: RequestedPush.Event, in entry: LogEntry, for activity: FollowedActivity) {
        guard entry.at > activity.activity.acknowledgedAt else { return }
        let now = runtime.now()
        activity.requestPosition = entry.position
        switch event {
        case .update:
            activity.decisions.observed(.pushRequested, at: entry.at)
            activity.cadence.pushRequested(moment: entry.at, at: now)
        case .end:
            activity.decisions.observed(.endRequested, at: entry.at)
            activity.cadence.endRequested(moment: entry.at, at: now)
        }
    }
}
