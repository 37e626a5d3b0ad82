import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import PushRules

extension DispatchLoop {
    func follow() async throws {
        guard !shards.isEmpty else { return }
        for (shard, head) in try await store.heads(of: shards.values.filter { !$0.isLeaving }.map(\.shard).sorted()) {
            guard let followed = shards[shard], head > followed.readPosition else { continue }
            // A shard that cannot be read does not delay the others.
            var touched: Set<AdventureID> = []
            await reporting("the log of shard \(shard.rawValue) could not be followed") {
                var pages = 0
                while followed.readPosition < head, pages < Self.pagesPerCycle {
                    touched.formUnion(try await readPage(of: followed, head: head))
                    pages += 1
                }
            }
            if followed.readPosition < head { isBehind = true }
            // After all pages, since a later page may cancel what an earlier one requires.
            evaluateAll(of: touched, in: followed)
        }
    }

    /// Reads a page of the log, and passes its events to the followed activities.
    /// - Returns: the followed adventures that have entries in the page.
    func readPage(of followed: FollowedShard, head: Int64) async throws -> [AdventureID] {
        let entries = try await store.log(of: followed.shard, after: followed.readPosition, limit: Self.logPage)
        guard let last = entries.last else {
            throw StoreError.lostRows(statement: "log.tail", expected: Int(head - followed.readPosition), changed: 0)
        }

        let registered = registrations(in: entries)
        let concerned = Set(entries.map(\.adventureID))
            .filter { followed.adventures[$0] != nil || registered[$0] != nil }
            .sorted()
        let activities = try await load(registered, of: followed)
        try await refresh(concerned, of: followed, statePosition: last.position, headlines: headlines(in: entries))

        // Nothing is observed yet, so after a failure up to here the page is read again.
        followed.readPosition = last.position
        for entry in entries {
            observeStart(entry, of: followed)
            guard let adventure = followed.adventures[entry.adventureID] else { continue }
            observe(entry, in: adventure, of: followed, registered: activities)
        }
        return concerned
    }

    func evaluateAll(of adventures: Set<AdventureID>, in followed: FollowedShard) {
        for id in adventures.sorted() {
            guard let adventure = followed.adventures[id] else { continue }
            for activity in adventure.activities.values.sorted(by: { $0.key.activityID < $1.key.activityID }) {
                evaluate(activity, of: followed)
            }
            if adventure.activities.isEmpty { followed.adventures[id] = nil }
        }
    }

    func registrations(in entries: [LogEntry]) -> [AdventureID: [ActivityID]] {
        var registered: [AdventureID: [ActivityID]] = [:]
        for entry in entries {
            if case .activityRegistered(let id, _) = entry.content {
                registered[entry.adventureID, default: []].append(id)
            }
        }
        return registered
    }

    func load(
        _ registered: [AdventureID: [ActivityID]],
        of followed: FollowedShard
    ) async throws -> [ActivityKey: RegisteredActivity] {
        var activities: [ActivityKey: RegisteredActivity] = [:]
        for (adventureID, ids) in registered.sorted(by: { $0.key < $1.key }) {
            for activity in try await store.activities(ids, of: adventureID) {
                let key = ActivityKey(adventureID: adventureID, activityID: activity.id)
                // Only an activity whose old token was dead has earlier decisions and is not followed.
                var past = followed.departed[key]?.encoded
                if past == nil, activity.generation > 1, followed.activity(key) == nil {
                    past = try await store.decisions(for: activity.id, of: adventureID)
                }
                activities[key] = RegisteredActivity(activity: activity, decisions: past)
            }
        }
        return activities
    }

    /// Returns the last headline of each adventure.
    func headlines(in entries: [LogEntry]) -> [AdventureID: AdventureEvent] {
        var headlines: [AdventureID: AdventureEvent] = [:]
        for entry in entries {
            if case .event(let event, _) = entry.content, event.isHeadline { headlines[entry.adventureID] = event }
        }
        return headlines
    }

    /// Reads the newest state of some adventures, after the log was read up to `position`.
    func refresh(
        _ ids: [AdventureID],
        of followed: FollowedShard,
        statePosition position: Int64,
        headlines: [AdventureID: AdventureEvent] = [:]
    ) async throws {
        guard !ids.isEmpty else { return }
        for result in try await store.adventures(ids, of: followed.shard) {
            guard case .success(let stored) = result else {
                logger.error("an adventure cannot be decoded", metadata: ["error": "\(result)"])
                continue
            }
            if let adventure = followed.adventures[stored.id] {
                adventure.update(stored, headline: headlines[stored.id], statePosition: position)
                continue
            }
            let headline: AdventureEvent
            if let known = headlines[stored.id] {
                headline = known
            } else {
                headline = try await store.newestHeadline(of: stored, logger: logger)
            }
            followed.adventures[stored.id] = FollowedAdventure(stored, headline: headline, statePosition: position)
        }
    }

    /// Whether this node sends to the environment of an activity's token.
    ///
    /// Other activities are not followed, so that they do not hold back the checkpoint.
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
    ///   - activity: its row.
    ///   - adventure: the adventure that it shows.
    ///   - decisions: its stored decision log.
    /// - Returns: the activity, for which nothing is pending yet; nil if its player has no seat in the adventure, or
    ///   this node does not send to its environment.
    func follow(
        _ activity: Activity,
        in adventure: FollowedAdventure,
        decisions: [UInt8]?
    ) -> FollowedActivity? {
        guard serves(activity) else { return nil }
        let seat = adventure.stored.adventure.heroes.firstIndex { $0.playerID == activity.playerID }
        guard let seat = seat.map(Seat.init(rawValue:)) else { return nil }
        let followed = FollowedActivity(
            activity,
            seat: seat,
            on: phone(of: activity),
            cadence: ActivityCadence(
                sharing: policy,
                frequentPushesEnabled: activity.frequentPushesEnabled,
                startedAt: activity.registeredAt,
                resuming: activity.lastTimestamp > 0 ? activity.lastTimestamp : nil,
                acknowledgedPosition: activity.acknowledgedPosition,
                freshness: PushRules.freshness(
                    of: adventure.stored.adventure,
                    after: adventure.headline,
                    receiver: seat
                )
            ),
            decisions: decisions.map { DecisionLog(encoded: $0) } ?? DecisionLog()
        )
        adventure.activities[activity.id] = followed
        return followed
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

/// The current row of an activity whose registration was read from the log.
struct RegisteredActivity {
    let activity: Activity
    /// Its earlier decision log, encoded; nil if it has none or is followed already.
    let decisions: [UInt8]?
}
