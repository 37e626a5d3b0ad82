import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushRules

extension DispatchLoop {
    func follow() async throws {
        guard !shards.isEmpty else { return }
        for (shard, head) in try await store.heads(of: shards.values.filter { !$0.isLeaving }.map(\.shard).sorted()) {
            guard let followed = shards[shard], head > followed.tail else { continue }
            // A shard that cannot be read does not hold up the others.
            var touched: Set<AdventureID> = []
            await reporting("the log of shard \(shard.rawValue) could not be followed") {
                var pages = 0
                while followed.tail < head, pages < Self.pagesPerRound {
                    touched.formUnion(try await readPage(of: followed, head: head))
                    pages += 1
                }
            }
            if followed.tail < head { isBehind = true }
            // Only now: a later page may cancel what an earlier one asked for.
            considerAll(of: touched, in: followed)
        }
    }

    /// Reads entries and lets the activities observe them.
    /// - Returns: the adventures with activities that it was about.
    func readPage(of followed: FollowedShard, head: Int64) async throws -> [AdventureID] {
        let records = try await store.log(of: followed.shard, after: followed.tail, limit: Self.logPage)
        guard let last = records.last else {
            throw StoreError.lostRows(statement: "log.tail", expected: Int(head - followed.tail), changed: 0)
        }

        let registered = registrations(in: records)
        let concerned = Set(records.map(\.adventureID))
            .filter { followed.adventures[$0] != nil || registered[$0] != nil }
            .sorted()
        let activities = try await load(registered, of: followed)
        try await refresh(concerned, of: followed, through: last.position, headlines: headlines(in: records))

        // Nothing above changed what is observed, so a failure up to here reads the page again.
        followed.tail = last.position
        for record in records {
            observeBeginning(record, of: followed)
            guard let adventure = followed.adventures[record.adventureID] else { continue }
            observe(record, in: adventure, of: followed, registered: activities)
        }
        return concerned
    }

    func considerAll(of adventures: Set<AdventureID>, in followed: FollowedShard) {
        for id in adventures.sorted() {
            guard let adventure = followed.adventures[id] else { continue }
            for activity in adventure.activities.values.sorted(by: { $0.key.activityID < $1.key.activityID }) {
                consider(activity, of: followed)
            }
            if adventure.activities.isEmpty { followed.adventures[id] = nil }
        }
    }

    func registrations(in records: [LogRecord]) -> [AdventureID: [ActivityID]] {
        var registered: [AdventureID: [ActivityID]] = [:]
        for record in records {
            if case .activityRegistered(let id, _) = record.entry {
                registered[record.adventureID, default: []].append(id)
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
                // Only one whose old token was dead has a past, and is not followed.
                var past = followed.partings[key]?.encoded
                if past == nil, activity.generation > 1, followed.activity(key) == nil {
                    past = try await store.decisions(for: activity.id, of: adventureID)
                }
                activities[key] = RegisteredActivity(activity: activity, decisions: past)
            }
        }
        return activities
    }

    /// The last event of each adventure that a card should tell.
    func headlines(in records: [LogRecord]) -> [AdventureID: Event] {
        var headlines: [AdventureID: Event] = [:]
        for record in records {
            if case .event(let event, _) = record.entry, event.isTold { headlines[record.adventureID] = event }
        }
        return headlines
    }

    /// Reads the newest state of some adventures, after the log was read up to `position`.
    func refresh(
        _ ids: [AdventureID],
        of followed: FollowedShard,
        through position: Int64,
        headlines: [AdventureID: Event] = [:]
    ) async throws {
        guard !ids.isEmpty else { return }
        for result in try await store.adventures(ids, of: followed.shard) {
            guard case .success(let stored) = result else {
                logger.error("an adventure cannot be shown", metadata: ["error": "\(result)"])
                continue
            }
            if let adventure = followed.adventures[stored.id] {
                adventure.update(stored, headline: headlines[stored.id], through: position)
                continue
            }
            let headline: Event
            if let known = headlines[stored.id] {
                headline = known
            } else {
                headline = try await store.lastTold(of: stored, logger: logger)
            }
            followed.adventures[stored.id] = FollowedAdventure(stored, headline: headline, through: position)
        }
    }

    /// Whether this node sends to the environment of an activity's token; what nobody can send must not hold back the
    /// checkpoint.
    func serves(_ activity: Activity) -> Bool {
        guard !environments.contains(activity.environment) else { return true }
        let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
        logger.warning(
            "an activity's environment is not served here",
            metadata: metadata(of: key, ["environment": "\(activity.environment.rawValue)"])
        )
        return false
    }

    /// Starts to follow an activity; nil when its player has no seat in the adventure, or nobody here can send to it.
    /// - Parameters:
    ///   - activity: its row.
    ///   - adventure: what it shows.
    ///   - decisions: what was decided for it before.
    /// - Returns: the activity, which owes nothing yet.
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
                settledThrough: activity.settledPosition,
                fresh: PushRules.freshness(of: adventure.stored.adventure, after: adventure.headline, receiver: seat)
            ),
            decisions: decisions.map { DecisionLog(encoded: $0) } ?? DecisionLog()
        )
        adventure.activities[activity.id] = followed
        return followed
    }

    /// The phone that an activity is on, with what this node knows of its budget.
    private func phone(of activity: Activity) -> FollowedPhone {
        let key = PhoneKey(activity)
        if let known = phones[key] { return known }
        let phone = FollowedPhone(
            budget: PhoneBudget(
                settings.policy.pace(frequentPushesEnabled: activity.frequentPushesEnabled),
                lastPush: activity.lastTimestamp > 0 ? Timestamp(epochSeconds: activity.lastTimestamp) : nil
            )
        )
        phones[key] = phone
        return phone
    }
}

/// An activity of which the log tells that it was registered, as it is now.
struct RegisteredActivity {
    let activity: Activity
    /// What was decided for it before it was followed, encoded.
    let decisions: [UInt8]?
}
