import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import PushRules
import ServiceRuntime

// Adventures and activities that this node begins to follow.

extension DispatchLoop {
    /// Loads the live activities of a shard that was just acquired, with everything that is pending for them.
    ///
    /// Afterwards its log is read from the checkpoint on, for starts and requested pushes, and for what was registered
    /// in the meantime.
    /// - Throws: errors of the store.
    func loadActivities(of followed: FollowedShard) async throws {
        let activities = try await store.liveActivities(of: followed.shard)
        guard !activities.isEmpty else { return }
        let acknowledged = Dictionary(
            activities.map { ($0.adventureID, $0.acknowledgedAt) },
            uniquingKeysWith: min
        )
        try await load(acknowledged.keys.sorted(), of: followed, acknowledged: acknowledged) {
            let decisions = Dictionary(
                try await store.liveDecisions(of: followed.shard).map {
                    (ActivityKey(adventureID: $0.adventureID, activityID: $0.activityID), $0.entries)
                },
                uniquingKeysWith: { $1 }
            )
            return try await store.liveActivities(of: followed.shard).map {
                var row = RegisteredActivity(activity: $0)
                row.decisions = decisions[row.key]
                // What was sent before counts, even if the database lost it.
                if let known = followed.predecessor?.activity(row.key) {
                    row.activity.lastTimestamp = max(row.activity.lastTimestamp, known.lastTimestamp)
                }
                return row
            }
        }
        for adventure in followed.adventures.values.sorted(by: { $0.id < $1.id }) {
            for activity in adventure.sortedActivities {
                activity.isTokenProven = activity.decisions.hasProvenToken
                if activity.isTokenProven { breakers.noteProvenToken(in: activity.activity.environment) }
                // A crash may have lost it.
                endPredecessors(of: activity, in: adventure, of: followed)
                guard let known = followed.predecessor?.activity(activity.key) else { continue }
                activity.cadence.currentStateRequired(moment: followed.clock, at: runtime.now())
                followed.touchedAdventures.insert(adventure.id)
                let isSameToken = known.activity.generation == activity.activity.generation
                guard known.terminalState == .ended || known.terminalState == .dead && isSameToken else { continue }
                (activity.isClosed, activity.terminalState) = (true, known.terminalState)
                activity.tokenDiedAt = known.tokenDiedAt
                followed.dirtyActivities.insert(activity.key)
            }
        }
    }

    /// Loads adventures of which the log concerns live activities, with these.
    func load(_ ids: [AdventureID], of followed: FollowedShard) async throws {
        guard !ids.isEmpty else { return }
        try await load(ids, of: followed, acknowledged: [:]) { try await rows(of: ids, in: followed) }
    }

    /// Loads adventures as of the clock of their shard, and follows their activities.
    ///
    /// The activities are read after the adventures. Registrations after the moment up to which the adventures are
    /// played are left to the log, which has them in order with what happens in between.
    /// - Parameters:
    ///   - ids: the adventures.
    ///   - followed: their shard.
    ///   - acknowledged: for each adventure the moment up to which all of its activities are acknowledged, if known.
    ///   - activities: reads the activities.
    /// - Throws: errors of the store.
    private func load(
        _ ids: [AdventureID],
        of followed: FollowedShard,
        acknowledged: [AdventureID: Timestamp],
        activities: () async throws -> [RegisteredActivity]
    ) async throws {
        var histories: [AdventureID: AdventureHistory] = [:]
        let results = try await store.adventures(ids, of: followed.shard) { id, event in
            histories[id, default: AdventureHistory()].add(event, keepingAfter: acknowledged[id])
        }
        let rows = try await activities()
        var loaded: [AdventureID: FollowedAdventure] = [:]
        followed.unplayableAdventures.formUnion(ids)
        for result in results {
            switch result {
            case .success(let stored):
                followed.unplayableAdventures.remove(stored.id)
                loaded[stored.id] = FollowedAdventure(stored, after: histories[stored.id] ?? AdventureHistory())
            case .failure(let error):
                logger.error("an adventure cannot be played, and is not shown", metadata: ["error": "\(error)"])
            }
        }
        // The most recently pushed first: of the activities of a phone, it says most about the budget.
        for row in rows.sorted(by: { $0.activity.lastTimestamp > $1.activity.lastTimestamp }) {
            guard let adventure = loaded[row.activity.adventureID] else { continue }
            let isNew = row.activity.generation == 1
            if isNew, isLater(row.activity, than: adventure, in: followed) { continue }
            let events = histories[adventure.id]?.events ?? []
            guard let activity = follow(row, in: adventure, of: followed) else { continue }
            catchUp(activity, in: adventure, after: events, of: followed)
        }
        for adventure in loaded.values.sorted(by: { $0.id < $1.id }) where !adventure.activities.isEmpty {
            followed.add(adventure)
            followed.touchedAdventures.insert(adventure.id)
        }
    }

    /// Makes everything pending that concerns an activity and that is not acknowledged.
    /// - Parameters:
    ///   - activity: the activity.
    ///   - adventure: the adventure, as it is after the events.
    ///   - events: the newest events of the adventure.
    ///   - followed: the shard.
    private func catchUp(
        _ activity: FollowedActivity,
        in adventure: FollowedAdventure,
        after events: [StoredEvent],
        of followed: FollowedShard
    ) {
        let now = runtime.now()
        let acknowledgedAt = activity.activity.acknowledgedAt
        let registeredAt = activity.activity.tokenRegisteredAt
        // A later registration of another token is read from the log.
        let isRegistrationLoaded = !isLater(activity.activity, than: adventure, in: followed)
        let isRegistrationPending = isRegistrationLoaded && registeredAt > acknowledgedAt
        let pending = events.filter { $0.at > acknowledgedAt }
        let before = pending.prefix { isRegistrationPending && $0.at <= registeredAt }
        for event in before { observe(event, for: activity, in: adventure, of: followed, at: now) }
        if isRegistrationPending { observeRegistration(of: activity, in: adventure, at: registeredAt) }
        for event in pending.dropFirst(before.count) {
            observe(event, for: activity, in: adventure, of: followed, at: now)
        }
        if isRegistrationLoaded { activity.observedRegistrationAt = registeredAt }
        if let outageAt = adventure.stored.newestOutageAt { observeOutage(at: outageAt, for: activity, in: adventure) }
        guard let endedAt = adventure.stored.endedAt else { return }
        if isRegistrationPending || endedAt > acknowledgedAt {
            // Nothing new, unless the registration was later, or the events are not stored any more.
            let moment = isRegistrationPending ? max(endedAt, registeredAt) : endedAt
            activity.cadence.adventureEnded(moment: moment, at: now)
        } else {
            activity.cadence.endAnnounced(moment: endedAt)
        }
    }

    /// Whether the token of an activity was registered after the moment up to which its adventure was loaded, so that
    /// its registration is still to be read from the log.
    ///
    /// After a clock went back, the log may have been read up to a later moment.
    private func isLater(_ activity: Activity, than adventure: FollowedAdventure, in followed: FollowedShard) -> Bool {
        followed.predecessor == nil && activity.tokenRegisteredAt > adventure.stored.playedUntil
    }

    /// Whether this node sends to the environment of an activity's token.
    ///
    /// Other activities are not followed.
    func serves(_ activity: Activity) -> Bool {
        guard !environments.contains(activity.environment) else { return true }
        let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
        logger.warning(
            "this node does not send to the environment of an activity",
            metadata: metadata(of: key, ["environment": "\(activity.environment.rawValue)"])
        )
        return false
    }

    /// Starts to follow an activity.
    /// - Parameters:
    ///   - row: its row.
    ///   - adventure: the adventure that it shows.
    ///   - followed: the shard.
    /// - Returns: the activity, for which nothing is pending yet; nil if its player has no seat in the adventure, or
    ///   this node does not send to its environment.
    func follow(
        _ row: RegisteredActivity,
        in adventure: FollowedAdventure,
        of followed: FollowedShard
    ) -> FollowedActivity? {
        let activity = row.activity
        guard serves(activity) else {
            stopServing(row, in: followed)
            return nil
        }
        let seat = adventure.stored.adventure.heroes.firstIndex { $0.playerID == activity.playerID }
        guard let seat = seat.map(Seat.init(rawValue:)) else { return nil }
        let new = FollowedActivity(
            activity,
            seat: seat,
            on: phone(of: activity),
            cadence: ActivityCadence(
                sharing: policy,
                frequentPushesEnabled: activity.frequentPushesEnabled,
                startedAt: activity.registeredAt,
                resuming: activity.lastTimestamp > 0 ? activity.lastTimestamp : nil,
                acknowledgedAt: activity.acknowledgedAt,
                freshness: PushRules.freshness(
                    of: adventure.stored.adventure,
                    after: adventure.headline,
                    receiver: seat
                )
            ),
            decisions: row.decisions.map { DecisionLog(encoded: $0) } ?? DecisionLog()
        )
        adventure.activities[activity.id] = new
        return new
    }

    /// Records that this node does not send to the environment of an activity's token.
    func stopServing(_ row: RegisteredActivity, in followed: FollowedShard) {
        let activity = row.activity
        guard activity.tokenRegisteredAt > activity.acknowledgedAt else { return }
        var decisions =
            followed.activity(row.key)?.decisions ?? row.decisions.map { DecisionLog(encoded: $0) } ?? DecisionLog()
        let known = decisions.records.last
        if known?.action == .notServed,
            known.map({ $0.changeAt + .milliseconds(1) > activity.tokenRegisteredAt }) ?? false
        {
            return
        }
        decisions.observed(activity.registrationTrigger, at: activity.tokenRegisteredAt)
        decisions.stopped(.notServed, at: runtime.now())
        followed.stopFollowing(row.key, decisions)
    }

    /// Returns the phone of an activity, with the budget as far as this node knows it.
    private func phone(of activity: Activity) -> FollowedDevice {
        let key = DeviceKey(activity)
        if let known = phones[key] { return known }
        let phone = FollowedDevice(
            budget: DeviceBudget(
                settings.policy.pace(frequentPushesEnabled: activity.frequentPushesEnabled),
                lastPush: activity.lastTimestamp > 0 ? Timestamp(epochSeconds: activity.lastTimestamp) : nil
            )
        )
        phones[key] = phone
        return phone
    }
}

extension Activity {
    /// What the registration of its token is to its decision log.
    var registrationTrigger: DecisionRecord.Trigger { generation == 1 ? .registered : .tokenReplaced }
}
