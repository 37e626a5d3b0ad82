import GameCore
import GameStore
import Logging
import PushCadence
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    /// Writes what was sent, a few shards a round: what happens meanwhile does not wait for all of them.
    func settleIfDue() async {
        let now = runtime.uptime()
        guard !hasFailed, now >= settlesAgainAt else { return }
        if unsettled.isEmpty, now >= settleDueAt {
            settleDueAt = now + settings.settleInterval
            unsettled = shards.values.filter { $0.maySettle(at: now) }.map(\.shard).sorted()[...]
            measure()
        }
        guard await !settleNext() else { return }
        // It may be the database: the others have their turn in a while, so that pushes wait a third of the time at most.
        let end = runtime.uptime()
        settlesAgainAt = end + max(settings.settleInterval / 4, (end - now) * 2)
    }

    /// Writes whatever was sent and decided, until the database takes long to fail; first where it has not failed before.
    /// - Returns: whether all of it is written.
    func settleAll() async -> Bool {
        let now = runtime.uptime()
        let sorted = shards.values.sorted { $0.shard < $1.shard }
        let inOrder = sorted.filter { $0.maySettle(at: now) } + sorted.filter { !$0.maySettle(at: now) }
        unsettled = inOrder.map(\.shard)[...]
        var isAllWritten = true
        while !unsettled.isEmpty {
            let start = runtime.uptime()
            guard await !settleNext() else { continue }
            isAllWritten = false
            guard runtime.uptime() - start < settings.settleInterval else { return false }
        }
        return isAllWritten
    }

    /// Writes the next shards side by side, so that PostgreSQL makes them durable together.
    /// - Returns: whether all of them are written.
    private func settleNext() async -> Bool {
        var next: [Shard] = []
        while next.count < Self.settledAtOnce, let shard = unsettled.popFirst() {
            if let followed = shards[shard], hasNews(followed) { next.append(shard) }
        }
        return await withTaskGroup(of: Bool.self) { group in
            for shard in next { group.addTask { await self.settle(shard) } }
            var areAllWritten = true
            for await isWritten in group where !isWritten { areAllWritten = false }
            return areAllWritten
        }
    }

    /// Whether there is anything to write down.
    private func hasNews(_ followed: FollowedShard) -> Bool {
        followed.checkpoint > followed.writtenCheckpoint || !followed.unwritten.isEmpty || !followed.partings.isEmpty
            || !followed.askedPushes.isEmpty || !undocumented(of: followed).isEmpty
    }

    private func isDocumenting(_ followed: FollowedShard) -> Bool {
        isDraining || followed.isLeaving || runtime.uptime() >= followed.documentDueAt
    }

    /// The activities whose decisions are to be written now.
    private func undocumented(of followed: FollowedShard) -> Set<ActivityKey> {
        isDocumenting(followed)
            ? followed.undocumented : followed.undocumented.filter { followed.activity($0)?.fate != .live }
    }

    /// Writes what was sent for a shard, and how far its log is settled.
    ///
    /// Where that fails the shard waits for twice as long as it took: whatever holds it up, such as a row that somebody has
    /// locked, is not to hold up the others most of the time, and a connection that broke costs no more than an interval.
    /// - Returns: false where it could not be written; true also where there is nothing to write, or the shard is another's.
    func settle(_ shard: Shard) async -> Bool {
        guard let followed = shards[shard], hasNews(followed) else { return true }
        let start = runtime.uptime()
        let checkpoint = followed.checkpoint
        let keys = followed.unwritten
        let isDocumenting = isDocumenting(followed)
        let undocumented = undocumented(of: followed)
        let (partings, askedPushes) = (followed.partings, followed.askedPushes)
        let marks = keys.compactMap { followed.activity($0) }.map { activity in
            ActivityMark(
                adventureID: activity.key.adventureID,
                activityID: activity.key.activityID,
                generation: activity.activity.generation,
                lastTimestamp: activity.lastTimestamp,
                settledPosition: activity.cadence.toldThrough,
                state: activity.fate
            )
        }
        let lease = followed.lease
        let sendUntil = newSendUntil()
        do {
            let isHeld = try await store.settle(
                lease,
                holder: holder,
                for: settings.leaseDuration,
                checkpoint: checkpoint,
                marks: marks,
                decisions: decisions(of: undocumented, and: partings, in: followed),
                askedPushes: Array(askedPushes.values)
            )
            guard isHeld else {
                if shards[shard] === followed { drop(shard) }
                return true
            }
            extend(lease, until: sendUntil)
            followed.writtenCheckpoint = checkpoint
            followed.unwritten.subtract(keys)
            followed.undocumented.subtract(undocumented)
            if isDocumenting { followed.documentDueAt = runtime.uptime() + settings.documentInterval }
            followed.partings = followed.partings.filter { partings[$0.key] == nil }
            followed.askedPushes = followed.askedPushes.filter { askedPushes[$0.key] != $0.value }
            // One whose token is dead is kept for a while: the next token gets the alerts that wait.
            for mark in marks where mark.state == .ended {
                let key = ActivityKey(adventureID: mark.adventureID, activityID: mark.activityID)
                // A token that came in the meantime has brought the activity back to life.
                if followed.activity(key)?.activity.generation == mark.generation { followed.remove(key) }
            }
            return true
        } catch {
            let now = runtime.uptime()
            followed.settlesAgainAt = now + max(settings.settleInterval * 2, (now - start) * 2)
            metrics.failures.add()
            logger.error(
                "what was sent for a shard could not be written",
                metadata: ["shard": "\(shard.rawValue)", "error": "\(error)"]
            )
            return false
        }
    }

    /// What was decided since it was last written; what is decided after this a crash may lose, as nothing depends on it.
    func decisions(
        of undocumented: Set<ActivityKey>,
        and partings: [ActivityKey: DecisionLog],
        in followed: FollowedShard
    ) -> [ActivityDecisions] {
        let logs = undocumented.compactMap { key in followed.activity(key).map { (key, $0.decisions) } }
        return partings.merging(logs) { $1 }.map { key, log in
            ActivityDecisions(adventureID: key.adventureID, activityID: key.activityID, entries: log.encoded)
        }
    }
}
