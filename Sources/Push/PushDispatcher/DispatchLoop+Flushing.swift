import Encodings
import GameCore
import GameLog
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
            if let leased = shards[shard], isDirty(leased) { next.append(shard) }
        }
        return await withTaskGroup(of: Bool.self) { group in
            for shard in next { group.addTask { await self.flush(shard) } }
            var areAllFlushed = true
            for await isFlushed in group where !isFlushed { areAllFlushed = false }
            return areAllFlushed
        }
    }

    /// Whether there is anything to flush.
    ///
    /// After an interruption, the logs are read first: what was pushed may be of moments that the database has lost, and must
    /// not count as shown when it decides others.
    private func isDirty(_ leased: LeasedShard) -> Bool {
        guard !leased.isLapsed, !presence.wasInterrupted(after: followedAt) else { return false }
        return leased.follower.isDirty(flushScope(of: leased), at: presence.now)
    }

    /// How much a flush of a shard stores now.
    private func flushScope(of leased: LeasedShard) -> FlushScope {
        if context.isDraining || leased.follower.isLeaving { return .everything }
        return runtime.uptime() >= leased.lazyFlushDueAt ? .next : .important
    }

    /// Writes the checkpoint of a shard, and the state of its dirty activities.
    ///
    /// After a failure the shard waits twice as long as the failure took. So a shard that is held up, for example by a
    /// locked row, does not hold up the others most of the time, and a broken connection costs no more than an
    /// interval.
    /// - Returns: false if it failed; true also if there is nothing to flush, if another node holds the shard, or if the
    ///   database has lost what the batch follows from.
    func flush(_ shard: Shard) async -> Bool {
        guard let leased = shards[shard], isDirty(leased) else { return true }
        let start = runtime.uptime()
        let scope = flushScope(of: leased)
        let batch = leased.follower.takeFlushBatch(scope)
        let lease = leased.lease
        do {
            let isHeld = try await store.flush(
                lease,
                holder: holder,
                checkpoint: batch.checkpoint,
                pendingSince: batch.pendingSince,
                activities: batch.activities,
                decisions: batch.decisions,
                requestedPushes: batch.requestedPushes
            )
            guard isHeld else {
                leased.follower.flushFailed(batch)
                // The database has lost the log up to the checkpoint; the shard's next row shows it.
                if try await store.checkpoint(of: lease, holder: holder) != nil { return true }
                // This node may have acquired it again since.
                if shards[shard] === leased, leased.lease.epoch == lease.epoch {
                    drop(shard)
                    await reportLosses(of: [leased])
                }
                return true
            }
            leased.follower.flushed(batch)
            if scope != .important { leased.lazyFlushDueAt = runtime.uptime() + settings.lazyFlushInterval }
            return true
        } catch {
            let now = runtime.uptime()
            leased.follower.flushFailed(batch)
            leased.nextFlushAt = now + max(settings.flushInterval * 2, (now - start) * 2)
            if error.isCancellation { return false }
            metrics.failures.add()
            logger.error(
                "a shard could not be flushed",
                metadata: ["shard": "\(shard.rawValue)", "error": "\(error)"]
            )
            return false
        }
    }
}
