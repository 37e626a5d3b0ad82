import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

// The shards' logs and clocks.

extension DispatchLoop {
    /// Follows the logs and the clocks of all shards.
    func follow() async throws {
        guard !shards.isEmpty else { return }
        let shown = shards.values.filter { !$0.isLeaving }.map(\.shard).sorted()
        for head in try await store.heads(of: shown) {
            guard let followed = shards[head.shard], !followed.isLeaving else { continue }
            guard followed.nextReadAt.map({ $0 <= runtime.uptime() }) ?? true else { continue }
            do {
                try await follow(followed, to: head)
            } catch {
                // A shard that cannot be read does not delay the others.
                followed.nextReadAt = runtime.uptime() + Self.pauseAfterFailure
                report(error, "shard \(head.shard.rawValue) could not be followed")
            }
        }
    }

    /// Reads the log of a shard up to its head, plays the timelines up to its clock, and evaluates what has changed.
    private func follow(_ followed: FollowedShard, to head: ShardHead) async throws {
        guard head.isSupported else { return leave(followed, because: "its adventures need a newer version") }
        guard !followed.isForked(from: head) else { return try await loadAnew(followed, at: head) }
        var pages = 0
        while followed.readPosition < head.head {
            // A long log must not delay the other shards.
            guard pages < Self.pagesPerCycle else {
                isBehind = true
                return
            }
            guard try await readPage(of: followed, to: head) else { return }
            pages += 1
        }
        guard !followed.isForked(from: head) else { return try await loadAnew(followed, at: head) }
        while let adventure = followed.popDue(by: head.clock) {
            observe(adventure.play(to: head.clock), in: adventure, of: followed)
            followed.schedule(adventure)
        }
        followed.notePlayed(to: head.clock)
        followed.isCaughtUp = true
        // At last, since a later change may cancel what an earlier one requires.
        evaluateAll(of: followed.touchedAdventures, in: followed)
        followed.touchedAdventures = []
    }

    /// Reads a page of the log, and passes its entries to the followed adventures.
    /// - Returns: false if the shard is not followed any further.
    private func readPage(of followed: FollowedShard, to head: ShardHead) async throws -> Bool {
        let position = followed.readPosition
        let end = min(followed.pageEnd(to: head), position + Int64(Self.logPage))
        // After a gap the page may have later entries, for moments that the head has not passed.
        let entries = try await store.log(
            of: followed.shard,
            after: position,
            digest: followed.digest ?? LogDigest(),
            limit: Int(end - position)
        ).prefix { $0.position <= end }
        // A decision for a moment that was played already: the database lost the clock that had passed it.
        if let next = entries.first(where: { $0.position > followed.loaded.head }), next.at < followed.clock {
            try await loadAnew(followed, at: head)
            return false
        }
        let known = entries.prefix { $0.isKnown }
        let registered = adventures(of: known) { if case .activityRegistered = $0 { true } else { false } }
        let ended = adventures(of: known) { if case .ended = $0 { true } else { false } }
        let new = registered.filter { followed.adventures[$0] == nil }
        // One that could not be played has a stored state now.
        try await load(new.union(ended.intersection(followed.unplayableAdventures)).sorted(), of: followed)
        let shown = registered.filter { followed.adventures[$0] != nil }
        let rows = Dictionary(
            try await rows(of: shown.sorted(), in: followed).map { ($0.key, $0) },
            uniquingKeysWith: { $1 }
        )

        // Nothing of the page is observed yet, so after a failure up to here it is read again.
        followed.isCaughtUp = false
        for entry in known {
            observeStart(entry, of: followed)
            observe(entry, of: followed, registered: rows)
            followed.noteRead(through: entry.position, entry.digest)
        }
        guard known.count == entries.count else {
            leave(
                followed,
                because: "entry \(followed.readPosition + 1) of its log is of a kind that this version does not know"
            )
            return false
        }
        followed.noteRead(through: end, entries.last?.digest)
        return true
    }

    func evaluateAll(of adventures: Set<AdventureID>, in followed: FollowedShard) {
        for id in adventures.sorted() {
            guard let adventure = followed.adventures[id] else { continue }
            for activity in adventure.sortedActivities { evaluate(activity, of: followed) }
            if adventure.activities.isEmpty { followed.remove(id) }
        }
    }

    /// Returns the adventures of the log entries with some content.
    private func adventures(
        of entries: some Sequence<LogEntry>,
        where isIncluded: (LogEntry.Content) -> Bool
    ) -> Set<AdventureID> {
        Set(entries.filter { isIncluded($0.content) }.compactMap(\.adventureID))
    }

    /// Reads the rows of the live activities of some adventures.
    func rows(of ids: [AdventureID], in followed: FollowedShard) async throws -> [RegisteredActivity] {
        var rows: [RegisteredActivity] = []
        for id in ids {
            for activity in try await store.activities(of: id) where activity.state == .live {
                rows.append(try await withDecisions(activity, in: followed))
            }
        }
        return rows
    }

    /// Returns the row of an activity with its earlier decisions.
    private func withDecisions(_ activity: Activity, in followed: FollowedShard) async throws -> RegisteredActivity {
        var row = RegisteredActivity(activity: activity)
        row.decisions = followed.departed[row.key]?.encoded
        // Only an activity whose old token was dead has earlier decisions and is not followed.
        if row.decisions == nil, activity.generation > 1, followed.activity(row.key) == nil {
            row.decisions = try await store.decisions(for: activity.id, of: activity.adventureID)
        }
        return row
    }

    /// Stops following a shard, so that a node that knows everything in it acquires its lease.
    private func leave(_ followed: FollowedShard, because reason: String) {
        logger.error(
            "this node does not know everything in a shard, and leaves it to others",
            metadata: ["shard": "\(followed.shard.rawValue)", "reason": "\(reason)"]
        )
        followed.isLeaving = true
        unsupportedShards[followed.shard] = runtime.uptime() + Self.unsupportedRetryInterval
        metrics.unsupportedShards.set(Double(unsupportedShards.count))
    }

    /// Loads a shard again whose log or clock is not the one that was read: the database lost commits, for example in a
    /// failover.
    ///
    /// Phones may show what never happened, so the current state of all activities is pending.
    private func loadAnew(_ followed: FollowedShard, at head: ShardHead) async throws {
        followed.isCaughtUp = false
        let fresh = FollowedShard(
            lease: followed.lease,
            at: head,
            sendUntil: followed.sendUntil,
            decisionFlushDueAt: followed.decisionFlushDueAt,
            replacing: followed
        )
        try await loadActivities(of: fresh)
        fresh.predecessor = nil
        // The lease may have been lost in the meantime.
        guard shards[followed.shard] === followed else { return }
        store.reportFork(of: head, readTo: followed.readPosition)
        fresh.lease = followed.lease
        fresh.sendUntil = followed.sendUntil
        shards[fresh.shard] = fresh
        isBehind = true
    }
}

/// The current row of an activity that may be followed from now on.
struct RegisteredActivity {
    var activity: Activity
    /// Its earlier decision log, encoded; nil if it has none or is followed already.
    var decisions: [UInt8]?

    var key: ActivityKey { ActivityKey(adventureID: activity.adventureID, activityID: activity.id) }
}
