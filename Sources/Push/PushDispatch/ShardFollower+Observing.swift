package import Encodings
package import GameCore
package import GameLog
import PushCadence
import PushRules

// The effects of log entries and events on the followed activities.

extension ShardFollower {
    /// Observes a page of the log.
    ///
    /// - Parameters:
    ///   - page: the entries after ``readPosition``, of kinds that this version knows.
    ///   - registered: the current rows of the live activities that the page registers.
    ///   - playerNames: the current names of the members of the adventures that the page has members join.
    ///   - context: the context.
    package mutating func observe(
        _ page: some Sequence<LogEntry>,
        registered: [ActivityKey: RegisteredActivity],
        playerNames: [AdventureID: [PlayerID: String]] = [:],
        _ context: inout FollowerContext
    ) {
        isCaughtUp = false
        for entry in page {
            observeStart(entry, context)
            observeJoin(entry, &context)
            observe(entry, registered: registered, playerNames: playerNames, &context)
            noteRead(through: entry.position, entry.digest)
        }
    }

    /// Plays the timelines up to the clock of the shard, and evaluates what has changed.
    package mutating func play(to clock: Timestamp, _ context: inout FollowerContext) {
        while let adventure = popDue(by: clock) {
            observe(adventure.play(to: clock), in: adventure, &context)
            schedule(adventure)
        }
        notePlayed(to: clock)
        isCaughtUp = true
        // At last, since a later change may cancel what an earlier one requires.
        let touched = touchedAdventures
        touchedAdventures = []
        evaluate(touched, &context)
    }

    private mutating func observe(
        _ entry: LogEntry,
        registered: [ActivityKey: RegisteredActivity],
        playerNames: [AdventureID: [PlayerID: String]],
        _ context: inout FollowerContext
    ) {
        guard let id = entry.adventureID else { return observeAll(entry, &context) }
        if case .ended = entry.content, unplayableAdventures.contains(id) { endedOtherwise.insert(id) }
        guard let adventure = adventures[id] else { return }
        guard apply(entry, to: adventure, naming: playerNames[id], &context) else { return }
        switch entry.content {
        case .input:
            for activity in adventure.activities { activity.keepTrace(of: entry) }
        case .activityRegistered(let id):
            let key = ActivityKey(adventureID: adventure.id, activityID: id)
            guard let row = registered[key] else { return }
            observeRegistration(entry, of: row, in: adventure, &context)
            self.activity(key)?.keepTrace(of: entry)
        case .activityReleased(let id):
            // The app registered another token after the release: a dispatcher had found the old one dead meanwhile.
            guard let activity = adventure.activity(id), entry.at > activity.activity.tokenRegisteredAt else { return }
            activity.decisions.observed(.released, at: entry.at)
            activity.decisions.stopped(.departed, at: context.now)
            stopFollowing(activity.key, activity.decisions)
        case .activityPushRequested(let id, let event):
            guard let activity = adventure.activity(id) else { return }
            observeRequest(event, in: entry, for: activity, at: context.now)
            activity.keepTrace(of: entry)
            touchedAdventures.insert(adventure.id)
        case .started, .ended, .outage, .raid, .unreadable:
            break
        }
    }

    /// Plays an adventure up to the moment of a log entry, applies the entry, and observes the events.
    /// - Returns: false if the adventure cannot be played, and so is not followed any more, unless it is loaded with the end
    ///   that was recorded.
    private mutating func apply(
        _ entry: LogEntry,
        to adventure: FollowedAdventure,
        naming playerNames: [PlayerID: String]? = nil,
        _ context: inout FollowerContext
    ) -> Bool {
        do {
            observe(adventure.play(to: entry.at), in: adventure, &context)
            observe(try adventure.apply(entry, naming: playerNames), in: adventure, &context)
            schedule(adventure)
            return true
        } catch {
            context.effects.append(.unplayable(error))
            unplayableAdventures.insert(adventure.id)
            if case .ended = entry.content {
                endedOtherwise.insert(adventure.id)
            } else {
                removeUnplayable(adventure.id)
            }
            return false
        }
    }

    /// Observes the events of an adventure's ticks and inputs.
    private mutating func observe(
        _ events: [StoredEvent],
        in adventure: FollowedAdventure,
        _ context: inout FollowerContext
    ) {
        guard !events.isEmpty else { return }
        touchedAdventures.insert(adventure.id)
        let state = adventure.stored.adventure
        for event in events {
            for activity in adventure.activities { observe(event, for: activity, in: state, &context) }
        }
        requestFallback(after: events, in: adventure, &context)
    }

    /// Observes an event; of the state after it, or later, only names are used.
    mutating func observe(
        _ event: StoredEvent,
        for activity: FollowedActivity,
        in state: Adventure,
        _ context: inout FollowerContext
    ) {
        let rule = PushRules.rule(
            for: event.event,
            after: state,
            receiver: activity.seat,
            playerNames: activity.adventure.playerNames
        )
        // The moment of the event and not the current one, so that reading an event late does not extend the expiry of
        // its alert. Neither may the clock of a shard that is ahead of the database's.
        activity.cadence.observe(rule, moment: event.at, at: min(event.at, context.now))
        activity.decisions.observed(event: event.event.kind, urgency: rule.urgency, at: event.at)
        takeDrops(of: activity, because: .event(kind: event.event.kind), &context)
    }

    /// Observes an entry that concerns several adventures of the shard: a decision about a raid, or an outage, after which
    /// the timelines move; none of them can be played past one that cannot be decoded.
    private mutating func observeAll(_ entry: LogEntry, _ context: inout FollowerContext) {
        let behind = sortedAdventures.filter { $0.stored.readPosition < entry.position }
        if case .raid(let raidID, _) = entry.content {
            for adventure in behind where adventure.stored.adventure.raid?.raidID == raidID {
                if apply(entry, to: adventure, &context) {
                    for activity in adventure.activities { activity.keepTrace(of: entry) }
                }
            }
            return
        }
        for adventure in behind where apply(entry, to: adventure, &context) {
            for activity in adventure.activities { observeOutage(at: entry.at, for: activity, in: adventure) }
            touchedAdventures.insert(adventure.id)
        }
    }

    /// Makes the new deadline of an open turn pending, since phones show deadlines.
    func observeOutage(at moment: Timestamp, for activity: FollowedActivity, in adventure: FollowedAdventure) {
        // Later than the shard's clock before the outage, which is the moment of what happened last.
        let changeAt = moment + .microseconds(1)
        guard adventure.stored.turnDueAt != nil, changeAt > activity.activity.acknowledgedAt else { return }
        activity.cadence.stateChanged(.turnPostponed, moment: changeAt)
        activity.decisions.observed(.outage, at: moment)
    }

    /// Observes the registration of an activity, or of a new token of it, that is still live.
    private mutating func observeRegistration(
        _ entry: LogEntry,
        of row: RegisteredActivity,
        in adventure: FollowedAdventure,
        _ context: inout FollowerContext
    ) {
        let newest = row.activity
        if let startsAt = newest.startsAt, let known = activity(row.key) {
            known.cadence.scheduled(for: startsAt)
            touchedAdventures.insert(adventure.id)
        }
        if let known = activity(row.key), known.activity.alertPreferences != newest.alertPreferences {
            known.activity.alertPreferences = newest.alertPreferences
            touchedAdventures.insert(adventure.id)
        }
        // Neither an acknowledged registration nor one that was loaded becomes pending again.
        guard entry.at > newest.acknowledgedAt,
            activity(row.key).map({ entry.at > $0.observedRegistrationAt }) ?? true
        else { return }
        touchedAdventures.insert(adventure.id)
        guard let known = activity(row.key) else {
            guard let activity = follow(row, in: adventure, &context) else { return }
            if newest.pushToken == activity.deadToken { activity.deadToken = nil }
            observeRegistration(of: activity, in: adventure, at: entry.at, now: context.now)
            endPredecessors(of: activity, in: adventure, now: context.now)
            return
        }
        guard serves(newest, &context) else { return stopServing(row, now: context.now) }
        if newest.generation == known.activity.generation, known.observedRegistrationAt >= newest.tokenRegisteredAt {
            // Only the start of a scheduled activity, or other alert preferences, were announced.
            known.activity = newest
            known.observedRegistrationAt = entry.at
            return endPredecessors(of: known, in: adventure, now: context.now)
        }
        // It waits in the queue of its old token's environment.
        if newest.environment != known.activity.environment { context.dequeue(known) }
        known.activity = newest
        known.backoff.reset()
        known.hasExcusedRejection = false
        known.isTokenProven = false
        known.doubtfulRejections = 0
        if known.terminalState == .dead { (known.terminalState, known.isClosed) = (.live, false) }
        known.tokenDiedAt = nil
        // It may be valid again.
        if newest.pushToken == known.deadToken { known.deadToken = nil }
        observeRegistration(of: known, in: adventure, at: entry.at, now: context.now)
        endPredecessors(of: known, in: adventure, now: context.now)
    }

    /// Makes the current state pending for the token of an activity.
    func observeRegistration(
        of activity: FollowedActivity,
        in adventure: FollowedAdventure,
        at moment: Timestamp,
        now: Timestamp
    ) {
        activity.observedRegistrationAt = moment
        activity.decisions.observed(activity.activity.registrationTrigger, at: moment)
        activity.cadence.currentStateRequired(moment: moment, at: now)
        // If the adventure ends later, the end is observed later.
        let isOver = adventure.stored.endedAt.map { $0 <= moment } ?? false
        if isOver || adventure.stored.adventure.heroes[activity.seat.rawValue].hasLeft {
            activity.cadence.adventureEnded(moment: moment, at: now)
        }
    }

    private func observeRequest(
        _ event: RequestedPush.Event,
        in entry: LogEntry,
        for activity: FollowedActivity,
        at now: Timestamp
    ) {
        guard entry.at > activity.activity.acknowledgedAt else { return }
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
