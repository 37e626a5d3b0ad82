import Encodings
package import GameCore
package import GameLog
import PushCadence
import PushRules

/// The current row of an activity that may be followed from now on.
package struct RegisteredActivity {
    package var activity: Activity
    /// Its earlier decision log, encoded; nil if it has none or is followed already.
    package var decisions: [UInt8]?

    package var key: ActivityKey { ActivityKey(adventureID: activity.adventureID, activityID: activity.id) }

    /// Creates a row.
    package init(activity: Activity, decisions: [UInt8]? = nil) {
        self.activity = activity
        self.decisions = decisions
    }
}

/// Adventures as of the clock of their shard, with their activities.
package struct LoadedAdventures {
    /// The adventures that were asked for.
    package let ids: [AdventureID]
    /// Those that exist, played to the clock of the shard, or why one cannot be played.
    package let results: [Result<StoredAdventure, StoreError>]
    /// What is known of their events.
    package let histories: [AdventureID: AdventureHistory]
    /// The names of the members of their parties, for those with equal heroes; they must be read after the adventures.
    package let playerNames: [AdventureID: [PlayerID: String]]
    /// Their live activities, which must be read after the adventures.
    package var activities: [RegisteredActivity]
    /// Those of which a member is known to have a device with an alert token.
    package var withAlertDevices: Set<AdventureID> = []

    /// Creates loaded adventures.
    package init(
        ids: [AdventureID],
        results: [Result<StoredAdventure, StoreError>],
        histories: [AdventureID: AdventureHistory],
        playerNames: [AdventureID: [PlayerID: String]] = [:],
        activities: [RegisteredActivity]
    ) {
        self.ids = ids
        self.results = results
        self.histories = histories
        self.playerNames = playerNames
        self.activities = activities
    }
}

// Adventures and activities that a node begins to follow.

extension ShardFollower {
    /// Follows the live activities of a shard that was just leased, with everything that is pending for them.
    ///
    /// Afterwards its log is read from the checkpoint on, for starts and requested pushes, and for what was registered
    /// in the meantime.
    /// - Parameters:
    ///   - loaded: the activities with their adventures; nil if there are none.
    ///   - isCorrecting: whether the database may have lost what another node has sent: phones get the current state.
    ///   - context: the context.
    package mutating func begin(
        with loaded: LoadedAdventures?,
        isCorrecting: Bool = false,
        _ context: inout FollowerContext
    ) {
        defer {
            rememberUnloaded()
            (predecessor, mayHaveUnrecordedPushes) = (nil, false)
        }
        guard let loaded else { return }
        follow(loaded, context: &context)
        for adventure in sortedAdventures {
            for activity in adventure.activities {
                activity.isTokenProven = activity.decisions.hasProvenToken
                // If the database's clock was set back, the times do not show it.
                if activity.decisions.hasUsedToken { activity.hasExcusedRejection = true }
                if activity.isTokenProven { context.effects.append(.tokenProven(activity.activity.environment)) }
                // A crash may have lost it.
                endPredecessors(of: activity, in: adventure, now: context.now)
                if mayHaveUnrecordedPushes {
                    spendUnrecorded(activity, after: loaded.histories[adventure.id]?.events ?? [], at: context.now)
                }
                if predecessor?[activity.key] != nil {
                    activity.cadence.currentStateRequired(moment: clock, at: context.now)
                } else if isCorrecting, activity.activity.lastTimestamp > 0 || activity.decisions.hasUsedToken {
                    activity.cadence.stateChanged(.databaseFailover, moment: clock)
                } else {
                    continue
                }
                // It is due from now on, although its change may be older.
                activity.wakeAt = context.now
                touchedAdventures.insert(adventure.id)
            }
        }
    }

    /// Spends the budget of a device for what an earlier holder of the lease may have sent since the row was stored.
    ///
    /// That are the alerts and the end that were pending, and the first push or the start of an activity; and turns and
    /// requested pushes, which leave the reserve of alerts.
    private func spendUnrecorded(_ activity: FollowedActivity, after events: [StoredEvent], at now: Timestamp) {
        let state = activity.adventure.stored.adventure
        let rules = events.lazy.filter { $0.at > activity.activity.acknowledgedAt }.map { event in
            (rule: PushRules.rule(for: event.event, after: state, receiver: activity.seat), moment: event.at)
        }
        let isStarted = activity.activity.lastTimestamp == 0
        activity.device.budget.assumeSpent(exceptFor: activity.device.pace.alertReserve, at: now)
        let pushes = activity.cadence.unrecordedPushes(rules, at: now)
        activity.device.budget.assumeSpent(pushes + (isStarted ? 1 : 0), at: now)
    }

    /// Closes an activity that has ended, or whose token was found dead, before it was loaded.
    private mutating func close(_ activity: FollowedActivity, after known: SentBefore, at now: Timestamp) {
        if known.terminalState == .ended {
            activity.terminalState = .ended
        } else if activity.activity.pushToken == known.deadToken {
            // Also if the database lost the registration of a newer token.
            activity.terminalState = .dead
            activity.tokenDiedAt = known.tokenDiedAt ?? now
        } else {
            return
        }
        activity.isClosed = true
        dirty.insertUrgent(activity)
    }

    /// Follows adventures of which the log concerns live activities.
    ///
    /// Registrations after the moment up to which the adventures are played are left to the log, which has them in order
    /// with what happens in between.
    package mutating func follow(_ loaded: LoadedAdventures, context: inout FollowerContext) {
        var adventures: [AdventureID: FollowedAdventure] = [:]
        unplayableAdventures.formUnion(loaded.ids)
        for result in loaded.results {
            switch result {
            case .success(let stored):
                unplayableAdventures.remove(stored.id)
                let history = loaded.histories[stored.id] ?? AdventureHistory()
                if !end(stored, after: history, at: context.now) {
                    let names = loaded.playerNames[stored.id] ?? [:]
                    adventures[stored.id] = FollowedAdventure(stored, after: history, naming: names)
                }
            case .failure(let error):
                context.effects.append(.unplayable(error))
            }
        }
        // Their recorded end is none that can be shown.
        for id in endedOtherwise.intersection(unplayableAdventures) { removeUnplayable(id) }
        endedOtherwise.subtract(loaded.ids)
        // The most recently pushed first: of the activities of a device, it says most about the budget.
        var rows: [(row: RegisteredActivity, lastTimestamp: Int64)] = []
        for row in loaded.activities {
            rows.append((row, max(row.activity.lastTimestamp, sentBefore(row.key)?.lastTimestamp ?? 0)))
        }
        for (row, _) in rows.sorted(by: { $0.lastTimestamp > $1.lastTimestamp }) {
            guard let adventure = adventures[row.activity.adventureID] else { continue }
            let isNew = row.activity.generation == 1
            if isNew, isLater(row.activity, than: adventure) { continue }
            let events = loaded.histories[adventure.id]?.events ?? []
            let known = sentBefore(row.key)
            guard let activity = follow(row, in: adventure, &context) else { continue }
            catchUp(activity, in: adventure, after: events, &context)
            if let known { close(activity, after: known, at: context.now) }
        }
        for adventure in adventures.values.sorted(by: { $0.id < $1.id }) {
            adventure.hasAlertDevices =
                loaded.withAlertDevices.contains(adventure.id) || adventuresToAlert.contains(adventure.id)
            guard adventure.isNeeded || adventure.hasAlertDevices else { continue }
            add(adventure)
            touchedAdventures.insert(adventure.id)
            // Of the last minute. Others may have sent some, and while the devices were looked for, it may even have ended.
            let events = loaded.histories[adventure.id]?.events ?? []
            requestFallback(after: events, in: adventure, isRepeated: true, &context)
        }
        adventuresToAlert.subtract(loaded.ids)
    }

    /// Ends an adventure as its end was recorded, if it is followed and was played otherwise.
    private mutating func end(_ stored: StoredAdventure, after history: AdventureHistory, at now: Timestamp) -> Bool {
        guard endedOtherwise.contains(stored.id), let adventure = adventures[stored.id], let endedAt = stored.endedAt
        else { return false }
        adventure.replace(with: stored, after: history)
        for activity in adventure.activities { activity.cadence.adventureEnded(moment: endedAt, at: now) }
        touchedAdventures.insert(stored.id)
        return true
    }

    /// Makes everything pending that concerns an activity and that is not acknowledged.
    /// - Parameters:
    ///   - activity: the activity.
    ///   - adventure: the adventure, as it is after the events.
    ///   - events: the newest events of the adventure.
    ///   - context: the context.
    private mutating func catchUp(
        _ activity: FollowedActivity,
        in adventure: FollowedAdventure,
        after events: [StoredEvent],
        _ context: inout FollowerContext
    ) {
        let now = context.now
        let acknowledgedAt = activity.activity.acknowledgedAt
        let registeredAt = activity.activity.tokenRegisteredAt
        // A later registration of another token is read from the log.
        let isRegistrationLoaded = !isLater(activity.activity, than: adventure)
        let isRegistrationPending = isRegistrationLoaded && registeredAt > acknowledgedAt
        let pending = events.filter { $0.at > acknowledgedAt }
        let before = pending.prefix { isRegistrationPending && $0.at <= registeredAt }
        let state = adventure.stored.adventure
        for event in before { observe(event, for: activity, in: state, &context) }
        if isRegistrationPending { observeRegistration(of: activity, in: adventure, at: registeredAt, now: now) }
        for event in pending.dropFirst(before.count) { observe(event, for: activity, in: state, &context) }
        if isRegistrationLoaded { activity.observedRegistrationAt = registeredAt }
        if let outageAt = adventure.stored.newestOutageAt { observeOutage(at: outageAt, for: activity, in: adventure) }
        guard let endedAt = adventure.stored.endedAt else { return }
        // Nothing new, unless the registration was later, or the events are not stored any more.
        let moment = isRegistrationPending ? max(endedAt, registeredAt) : endedAt
        activity.cadence.adventureEnded(moment: moment, at: now)
    }

    /// Whether the token of an activity was registered after the moment up to which its adventure was loaded, so that
    /// its registration is still to be read from the log.
    ///
    /// After a clock went back, the log may have been read up to a later moment.
    private func isLater(_ activity: Activity, than adventure: FollowedAdventure) -> Bool {
        predecessor == nil && activity.tokenRegisteredAt > adventure.stored.playedUntil
    }

    /// Whether this node sends to the environment of an activity's token.
    ///
    /// Other activities are not followed.
    func serves(_ activity: Activity, _ context: inout FollowerContext) -> Bool {
        guard !context.settings.environments.contains(activity.environment) else { return true }
        let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
        context.effects.append(.notServed(key, activity.environment))
        return false
    }

    /// Starts to follow an activity.
    /// - Parameters:
    ///   - row: its row.
    ///   - adventure: the adventure that it shows.
    ///   - context: the context.
    /// - Returns: the activity, for which nothing is pending yet; nil if its player has no seat in the adventure, or
    ///   this node does not send to its environment.
    mutating func follow(
        _ row: RegisteredActivity,
        in adventure: FollowedAdventure,
        _ context: inout FollowerContext
    ) -> FollowedActivity? {
        var activity = row.activity
        guard serves(activity, &context) else {
            stopServing(row, now: context.now)
            return nil
        }
        let known = sentBefore(row.key)
        unplayable[row.key] = nil
        if let known {
            activity.lastTimestamp = max(activity.lastTimestamp, known.lastTimestamp)
            activity.acceptedAlerts += known.acceptedAlerts.encoded
        }
        let seat = adventure.stored.adventure.heroes.firstIndex { $0.playerID == activity.playerID }
        guard let seat = seat.map(Seat.init(rawValue:)) else { return nil }
        let new = FollowedActivity(
            activity,
            in: adventure,
            seat: seat,
            on: context.device(of: activity),
            cadence: ActivityCadence(
                sharing: context.settings.policy,
                frequentPushesEnabled: activity.frequentPushesEnabled,
                startedAt: activity.registeredAt,
                startsAt: activity.startsAt,
                resuming: activity.lastTimestamp > 0 ? activity.lastTimestamp : nil,
                acknowledgedAt: activity.acknowledgedAt,
                acceptedAlerts: .init(encoded: activity.acceptedAlerts),
                freshness: PushRules.freshness(
                    of: adventure.stored.adventure,
                    after: adventure.headline,
                    receiver: seat
                )
            ),
            decisions: row.decisions.map { DecisionLog(encoded: $0) } ?? DecisionLog()
        )
        new.cadence.firstTimestamp = firstTimestamp
        new.deadToken = known?.deadToken
        adventure.add(new)
        return new
    }

    /// Records that this node does not send to the environment of an activity's token.
    mutating func stopServing(_ row: RegisteredActivity, now: Timestamp) {
        let activity = row.activity
        guard activity.tokenRegisteredAt > activity.acknowledgedAt else { return }
        var decisions =
            self.activity(row.key)?.decisions ?? row.decisions.map { DecisionLog(encoded: $0) } ?? DecisionLog()
        let known = decisions.records.last
        if known?.action == .notServed,
            known.map({ $0.changeAt + .milliseconds(1) > activity.tokenRegisteredAt }) ?? false
        {
            return
        }
        decisions.observed(activity.registrationTrigger, at: activity.tokenRegisteredAt)
        decisions.stopped(.notServed, at: now)
        stopFollowing(row.key, decisions)
    }

    /// The decision log of an activity that is not followed any more, encoded, until it is flushed.
    package func departedDecisions(of key: ActivityKey) -> [UInt8]? { departed[key]?.decisions.encoded }
}

extension Activity {
    /// What the registration of its token is to its decision log.
    var registrationTrigger: DecisionRecord.Trigger { generation == 1 ? .registered : .tokenReplaced }
}
