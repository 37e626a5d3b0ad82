import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    /// Flushes a few shards in each cycle, so that new events do not wait for all of them.
    func flushIfDue() async {
        let now = runtime.uptime()
        guard !hasFailed, now >= nextFlushAt else { return }
        if shardsToFlush.isEmpty, now >= flushDueAt {
            flushDueAt = now + settings.flushInterval
            shardsToFlush = shards.values.filter { $0.mayFlush(at: now) }.map(\.shard).sorted()[...]
            measure()
        }
        guard await !flushNext() else { return }
        // The database may be unavailable, so the others wait: flushing takes at most a third of the time.
        let end = runtime.uptime()
        nextFlushAt = end + max(settings.flushInterval / 4, (end - now) * 2)
    }

    /// Flushes all shards, starting with those not paused after a failed flush; stops after a slow failure.
    /// - Returns: whether all shards are flushed.
    func flushAll() async -> Bool {
        let now = runtime.uptime()
        let sorted = shards.values.sorted { $0.shard < $1.shard }
        let inOrder = sorted.filter { $0.mayFlush(at: now) } + sorted.filter { !$0.mayFlush(at: now) }
        shardsToFlush = inOrder.map(\.shard)[...]
        var isAllFlushed = true
        while !shardsToFlush.isEmpty {
            let start = runtime.uptime()
            guard await !flushNext() else { continue }
            isAllFlushed = false
            guard runtime.uptime() - start < settings.flushInterval else { return false }
        }
        return isAllFlushed
    }

    /// Flushes the next shards concurrently, so that PostgreSQL makes them durable together.
    /// - Returns: whether all of them are flushed.
    private func flushNext() async -> Bool {
        var next: [Shard] = []
        while next.count < Self.maxConcurrentFlushes, let shard = shardsToFlush.popFirst() {
            if let followed = shards[shard], isDirty(followed) { next.append(shard) }
        }
        return await withTaskGroup(of: Bool.self) { group in
            for shard in next { group.addTask { await self.flush(shard) } }
            var areAllFlushed = true
            for await isFlushed in group where !isFlushed { areAllFlushed = false }
            return areAllFlushed
        }
    }

    /// Whether there is anything to flush.
    private func isDirty(_ followed: FollowedShard) -> Bool {
        followed.checkpoint > followed.flushedCheckpoint || !followed.dirtyActivities.isEmpty
            || !followed.departed.isEmpty
            || !followed.requestedPushes.isEmpty || !dirtyDecisions(of: followed).isEmpty
            || isPendingSinceDirty(followed)
    }

    /// Whether the age of the oldest pending change must be flushed by itself.
    ///
    /// Most changes are shown soon, and are flushed with their push at most.
    private func isPendingSinceDirty(_ followed: FollowedShard) -> Bool {
        let pendingSince = followed.pendingSince
        guard pendingSince != followed.flushedPendingSince else { return false }
        return followed.flushedPendingSince != nil
            || pendingSince.map { runtime.now() - $0 > Self.pendingFlushDelay } ?? false
    }

    /// Whether a flush now includes all decisions.
    private func flushesDecisions(_ followed: FollowedShard) -> Bool {
        isDraining || followed.isLeaving || runtime.uptime() >= followed.decisionFlushDueAt
    }

    /// The activities whose decisions a flush now includes.
    private func dirtyDecisions(of followed: FollowedShard) -> Set<ActivityKey> {
        flushesDecisions(followed)
            ? followed.dirtyDecisions : followed.dirtyDecisions.filter { followed.activity($0)?.terminalState != .live }
    }

    /// Writes the checkpoint of a shard, and the state of its dirty activities.
    ///
    /// After a failure the shard waits twice as long as the failure took. So a shard that is held up, for example by a
    /// locked row, does not hold up the others most of the time, and a broken connection costs no more than an
    /// interval.
    /// - Returns: false if it failed; true also if there is nothing to flush, or another node holds the shard.
    func flush(_ shard: Shard) async -> Bool {
        guard let followed = shards[shard], isDirty(followed) else { return true }
        let start = runtime.uptime()
        let (checkpoint, pendingSince) = (followed.checkpoint, followed.pendingSince)
        let keys = followed.dirtyActivities
        let flushesDecisions = flushesDecisions(followed)
        let dirtyDecisions = dirtyDecisions(of: followed)
        let (departed, requestedPushes) = (followed.departed, followed.requestedPushes)
        let checkpoints = keys.compactMap { followed.activity($0) }.map { activity in
            ActivityCheckpoint(
                adventureID: activity.key.adventureID,
                activityID: activity.key.activityID,
                generation: activity.activity.generation,
                lastTimestamp: activity.lastTimestamp,
                acknowledgedAt: activity.cadence.resumePoint,
                state: activity.terminalState
            )
        }
        let lease = followed.lease
        let sendUntil = newSendUntil()
        do {
            let isHeld = try await store.flush(
                lease,
                holder: holder,
                for: settings.leaseDuration,
                checkpoint: checkpoint,
                pendingSince: pendingSince,
                activities: checkpoints,
                decisions: decisions(of: dirtyDecisions, and: departed, in: followed),
                requestedPushes: Array(requestedPushes.values)
            )
            guard isHeld else {
                if shards[shard] === followed { drop(shard) }
                return true
            }
            extend(lease, until: sendUntil)
            followed.flushedCheckpoint = checkpoint
            followed.flushedPendingSince = pendingSince
            followed.dirtyActivities.subtract(keys)
            followed.dirtyDecisions.subtract(dirtyDecisions)
            if flushesDecisions { followed.decisionFlushDueAt = runtime.uptime() + settings.decisionFlushInterval }
            followed.departed = followed.departed.filter { departed[$0.key] == nil }
            followed.requestedPushes = followed.requestedPushes.filter { requestedPushes[$0.key] != $0.value }
            // An activity whose token is dead is kept for a while, since the next token gets the waiting alerts.
            for activity in checkpoints where activity.state == .ended {
                let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.activityID)
                // An activity with a newer token is live again.
                if followed.activity(key)?.activity.generation == activity.generation { followed.remove(key) }
            }
            return true
        } catch {
            let now = runtime.uptime()
            followed.nextFlushAt = now + max(settings.flushInterval * 2, (now - start) * 2)
            metrics.failures.add()
            logger.error(
                "a shard could not be flushed",
                metadata: ["shard": "\(shard.rawValue)", "error": "\(error)"]
            )
            return false
        }
    }

    /// Returns the decision logs to flush.
    ///
    /// A crash may lose later decisions, since nothing depends on them.
    func decisions(
        of dirtyDecisions: Set<ActivityKey>,
        and departed: [ActivityKey: DecisionLog],
        in followed: FollowedShard
    ) -> [ActivityDecisions] {
        let logs = dirtyDecisions.compactMap { key in followed.activity(key).map { (key, $0.decisions) } }
        return departed.merging(logs) { $1 }.map { key, log in
            ActivityDecisions(adventureID: key.adventureID, activityID: key.activityID, entries: log.encoded)
        }
    }
}
