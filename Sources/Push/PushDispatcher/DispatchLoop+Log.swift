import Encodings
import GameCore
import GameLog
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
        let start = runtime.uptime()
        guard !shards.isEmpty else {
            followedAt = start
            return
        }
        defer { submitDecided() }
        let shown = shards.values.filter { !$0.follower.isLeaving }.map(\.shard).sorted()
        let shards = shards
        let followed = shown.compactMap { shards[$0]?.followed }
        let known = Dictionary(uniqueKeysWithValues: followed.map { ($0.shard, $0) })
        for head in try await store.heads(of: shown, otherThan: known) {
            // A shard that was acquired again in the meantime may be ahead of this row.
            guard let leased = shards[head.shard], self.shards[head.shard] === leased, !leased.follower.isLeaving
            else { continue }
            guard leased.nextReadAt.map({ $0 <= runtime.uptime() }) ?? true else { continue }
            leased.followed = nil
            do {
                try await follow(leased, to: head)
            } catch {
                // A shard that cannot be read does not delay the others.
                leased.nextReadAt = runtime.uptime() + Self.pauseAfterFailure
                report(error, "shard \(head.shard.rawValue) could not be followed")
            }
        }
        followedAt = start
    }

    /// Reads the log of a shard up to its head, plays the timelines up to its clock, and evaluates what has changed.
    private func follow(_ leased: LeasedShard, to head: ShardHead) async throws {
        if leased.follower.readPosition < head.head { submitDecided() }
        guard head.isSupported else { return leave(leased, because: "its adventures need a newer version") }
        guard !leased.follower.isForked(from: head) else { return try await loadAnew(leased, at: head) }
        var pages = 0
        while leased.follower.readPosition < head.head {
            // A long log must not delay the other shards.
            guard pages < Self.pagesPerCycle else {
                isBehind = true
                return
            }
            guard try await readPage(of: leased, to: head) else { return }
            pages += 1
        }
        try await load(leased.follower.endedOtherwise.union(leased.follower.adventuresToAlert).sorted(), of: leased)
        guard !leased.follower.isForked(from: head) else { return try await loadAnew(leased, at: head) }
        step { leased.follower.play(to: head.clock, &$0) }
        leased.followed = head
        guard leased.follower.isBehindAdventures else { return }
        // At once, and even if the row is this one again, as after a failover.
        leased.followed = nil
        isBehind = true
    }

    /// Reads a page of the log, and passes its entries to the follower.
    /// - Returns: false if the shard is not followed any further.
    private func readPage(of leased: LeasedShard, to head: ShardHead) async throws -> Bool {
        let position = leased.follower.readPosition
        let end = min(leased.follower.pageEnd(to: head), position + Int64(Self.logPage))
        // After a gap the page may have later entries, for moments that the head has not passed.
        let entries = try await store.log(
            of: leased.shard,
            after: position,
            digest: leased.follower.digest ?? LogDigest(),
            limit: Int(end - position)
        ).prefix { $0.position <= end }
        if leased.follower.isForked(by: entries, to: end, of: head) {
            try await loadAnew(leased, at: head)
            return false
        }
        let known = entries.prefix { $0.isKnown }
        let registered = adventures(of: known) { if case .activityRegistered = $0 { true } else { false } }
        try await load(registered.filter { !leased.follower.follows($0) }.sorted(), of: leased)
        let shown = registered.filter { leased.follower.follows($0) }
        let rows = Dictionary(
            try await rows(of: shown.sorted(), in: leased).map { ($0.key, $0) },
            uniquingKeysWith: { $1 }
        )
        let joined = adventures(of: known) { if case .input(.join) = $0 { true } else { false } }
        let playerNames = try await playerNames(in: leased.follower.partyIDs(of: joined), of: leased.shard)
        // Nothing of the page is observed yet, so after a failure up to here it is read again.
        step { leased.follower.observe(known, registered: rows, playerNames: playerNames, &$0) }
        guard known.count == entries.count else {
            let next = leased.follower.readPosition + 1
            leave(leased, because: "entry \(next) of its log is of a kind that this version does not know")
            return false
        }
        leased.follower.noteRead(through: end, entries.last?.digest)
        return true
    }

    /// Returns the adventures of the log entries with some content.
    private func adventures(
        of entries: some Sequence<LogEntry>,
        where isIncluded: (LogEntry.Content) -> Bool
    ) -> Set<AdventureID> {
        Set(entries.filter { isIncluded($0.content) }.compactMap(\.adventureID))
    }

    /// Reads the rows of the live activities of some adventures.
    func rows(of ids: [AdventureID], in leased: LeasedShard) async throws -> [RegisteredActivity] {
        var rows: [RegisteredActivity] = []
        for id in ids {
            for activity in try await store.activities(of: id) where activity.state == .live {
                rows.append(try await withDecisions(activity, in: leased))
            }
        }
        return rows
    }

    /// Returns the row of an activity with its earlier decisions.
    private func withDecisions(_ activity: Activity, in leased: LeasedShard) async throws -> RegisteredActivity {
        var row = RegisteredActivity(activity: activity)
        row.decisions = leased.follower.departedDecisions(of: row.key)
        // Only an activity whose old token was dead has earlier decisions and is not followed.
        if row.decisions == nil, activity.generation > 1, !leased.follower.follows(row.key) {
            row.decisions = try await store.decisions(for: activity.id, of: activity.adventureID)
        }
        return row
    }

    /// Stops following a shard, so that a node that knows everything in it acquires its lease.
    private func leave(_ leased: LeasedShard, because reason: String) {
        logger.error(
            "this node does not know everything in a shard, and leaves it to others",
            metadata: ["shard": "\(leased.shard.rawValue)", "reason": "\(reason)"]
        )
        leased.follower.isLeaving = true
        unsupportedShards[leased.shard] = runtime.uptime() + Self.unsupportedRetryInterval
        metrics.unsupportedShards.set(Double(unsupportedShards.count))
    }

    /// Loads a shard again whose log or clock is not the one that was read: the database lost commits, for example in a
    /// failover.
    ///
    /// Phones may show what never happened, so the current state of all activities is pending.
    private func loadAnew(_ leased: LeasedShard, at head: ShardHead) async throws {
        leased.follower.isCaughtUp = false
        let loaded = try await liveAdventures(of: leased)
        let checkpoint = try await store.checkpoint(of: leased.lease, holder: holder)
        // The lease may have been lost in the meantime, or with the commits.
        guard let checkpoint else {
            leased.nextReadAt = runtime.uptime() + Self.pauseAfterFailure
            return
        }
        guard shards[leased.shard] === leased, !leased.follower.isLeaving else { return }
        let read = (
            position: leased.follower.readPosition, digest: leased.follower.digest, clock: leased.follower.clock
        )
        // Only now, since outcomes of pushes may have arrived in the meantime.
        var fresh = leased.follower.successor(at: head, from: checkpoint)
        step { fresh.begin(with: loaded, &$0) }
        leased.follower = fresh
        isBehind = true
        await store.reportFork(of: head, readTo: read.position, read.digest, playedTo: read.clock)
    }
}
