import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    // MARK: - Acquisition

    /// Acquires unleased shards up to this node's share, and marks the shards beyond it as leaving.
    ///
    /// A separate task calls this. The share counts a new node from its registration on, and a crashed node until it
    /// expires, as its leases do. So nodes hand over shards beyond their share, and acquire shards up to it.
    /// - Returns: the time until the next call.
    func acquireShards() async -> Duration {
        do {
            return try await acquireFreeShards()
        } catch {
            report(error, "unleased shards could not be acquired")
            return settings.leaseDuration / 2
        }
    }

    /// - Returns: the time until the next call. A node with its share looks three times in the duration of a lease for
    ///   new nodes, and when one that it knows expires; a node without, more often.
    func acquireFreeShards() async throws -> Duration {
        let soon = settings.leaseDuration / 10
        guard let holder = presence.holder, !context.isDraining else { return soon }
        if holder != self.holder { begin(as: holder) }
        if !strayLeases.isEmpty { await release(strayLeases.values.sorted { $0.shard < $1.shard }) }
        try await noteUnsupportedShards()
        let followed = shards.filter { !$0.value.isLapsed }.mapValues(\.lease.epoch)
        let before = Set(shards.keys).union(strayLeases.keys)
        let survey = try await leaseStore.leaseSurvey(grace: settings.leaseDuration, for: holder)
        guard isPresent(as: holder), !context.isDraining else { return soon }
        var lost = shards.values.filter {
            $0.isLapsed && !survey.unread.contains($0.shard)
                && !survey.isLastHolder($0.holder, of: $0.shard, at: $0.lease.epoch)
        }
        for leased in lost {
            logger.notice("another node has acquired a shard", metadata: ["shard": "\(leased.shard.rawValue)"])
            shards[leased.shard] = nil
        }
        guard let share = survey.share(of: holder, amongShards: settings.shardCount) else { return soon }
        lost += reconcile(followed.filter { !survey.unread.contains($0.key) }, with: survey.held, besides: before)
        await reportLosses(of: lost)
        // Sorted, so that a seeded run is reproducible.
        let kept = shards.values.filter { !$0.follower.isLeaving }.sorted { $0.shard < $1.shard }
        for leased in kept.dropFirst(share) { leased.follower.isLeaving = true }
        guard kept.count < share else {
            let expiry = survey.firstExpiry(except: holder) ?? settings.leaseDuration
            return max(soon, min(settings.leaseDuration * 3 / 10, expiry))
        }
        let now = runtime.uptime()
        pausedShards = pausedShards.filter { $0.value > now }
        let free = survey.unleased.filter { unsupportedShards[$0.key] == nil && pausedShards[$0.key] == nil }
            .sorted { $0.key < $1.key }
        // Shuffled, so that nodes that start together seldom compete for a shard.
        var generator = runtime.generator()
        let shuffled = free.shuffled(using: &generator)
        // First those that this node knows.
        let known = shuffled.filter { shards[$0.key] != nil }
        let wanted = known + shuffled.filter { shards[$0.key] == nil }
        // If the clock was set back, phones have seen later timestamps.
        let newest = max(survey.moment, presence.now, presence.setBackFrom ?? survey.moment)
        let moment = mayHaveLostCommits ? newest + Self.timestampReserve : newest
        await concurrently(wanted.prefix(share - kept.count), atMost: Self.maxConcurrentLoads) { shard, epoch in
            await self.acquire(shard, at: epoch, in: survey, unleasedAt: moment, as: holder)
        }
        measureLeases()
        return soon
    }

    /// Gives up the leases that only this node or only the database knows of: a failover may lose the acquisition of a
    /// lease or its release while the presence of its holder survives.
    /// - Parameters:
    ///   - followed: the epochs of the leases that this node had before the survey; no others were acquired since.
    ///   - held: those that it has in the database.
    ///   - known: the shards that it followed before the survey, or was still to release.
    /// - Returns: the shards that it does not follow any more.
    private func reconcile(
        _ followed: [Shard: Int64],
        with held: [Shard: Int64],
        besides known: Set<Shard>
    ) -> [LeasedShard] {
        for (shard, epoch) in held where !known.contains(shard) {
            strayLeases[shard] = ShardLease(shard: shard, epoch: epoch, checkpoint: 0)
            reconciledAt = runtime.uptime()
        }
        let lost = shards.values.filter {
            !$0.isLapsed && followed[$0.shard] == $0.lease.epoch && held[$0.shard] != $0.lease.epoch
        }
        for leased in lost {
            drop(leased.shard)
            reconciledAt = runtime.uptime()
        }
        return lost
    }

    /// Compares what this node has read of shards that it does not follow any more with what the database has: their next
    /// holders cannot know what is lost.
    func reportLosses(of given: [LeasedShard]) async {
        guard mayHaveLostCommits, !given.isEmpty else { return }
        let shards = Dictionary(uniqueKeysWithValues: given.map { ($0.shard, $0) })
        do {
            for head in try await store.heads(of: shards.keys.sorted()) {
                guard let leased = shards[head.shard] else { continue }
                let (position, digest, clock) = (
                    leased.follower.readPosition, leased.follower.digest, leased.follower.clock
                )
                var isForked = leased.follower.isForked(from: head)
                if !isForked, let digest, position < head.head {
                    let end = min(head.head, position + Int64(Self.logPage))
                    let page = try await store.log(of: head.shard, after: position, digest: digest, limit: Self.logPage)
                    isForked = leased.follower.isForked(by: page.prefix { $0.position <= end }, to: end, of: head)
                }
                if isForked { await store.reportFork(of: head, readTo: position, digest, playedTo: clock) }
            }
        } catch {
            report(error, "what the database has lost could not be read")
        }
    }

    /// Whether the database may have lost commits lately.
    private var mayHaveLostCommits: Bool {
        let since = runtime.uptime() - Self.correctionTime
        return presence.wasInterrupted(after: since) || reconciledAt.map { since < $0 } ?? false
    }

    /// Whether an incarnation is the current one.
    private func isPresent(as holder: UUID) -> Bool { holder == self.holder && holder == presence.holder }

    /// Continues as a new incarnation of this node, which has no leases: others may acquire those of the last one, which
    /// has expired.
    private func begin(as holder: UUID) {
        self.holder = holder
        isKnownToKnowAll = nil
        strayLeases.removeAll()
        var count = 0
        for leased in shards.values where !leased.isLapsed {
            leased.isLapsed = true
            leased.follower.isLeaving = true
            count += 1
        }
        guard count > 0 else { return }
        metrics.lostLeases.add(count)
        logger.warning(
            "this node was too late to renew its presence, and lost its leases",
            metadata: ["shards": "\(count)"]
        )
    }

    /// Acquires the lease of a shard, and loads the shard.
    /// - Returns: false if the database is unavailable, so that no other shard needs to be tried.
    private func acquire(
        _ shard: Shard,
        at epoch: Int64,
        in survey: LeaseSurvey,
        unleasedAt moment: Timestamp,
        as holder: UUID
    ) async -> Bool {
        do {
            // Without a response, it may have been acquired.
            strayLeases[shard] = ShardLease(shard: shard, epoch: epoch + 1, checkpoint: 0)
            guard
                let lease = try await store.acquireLease(
                    of: shard,
                    at: epoch,
                    unleasedAt: moment,
                    released: survey.released.contains(shard),
                    holder: holder
                )
            else {
                strayLeases[shard] = nil
                return true
            }
            guard isPresent(as: holder) else { return false }
            if let leased = shards[shard] {
                resume(leased, with: lease, as: holder)
            } else {
                try await load(lease, as: holder)
            }
            strayLeases[shard] = nil
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            // It is released, so that another node may try, and does not delay the other shards.
            pausedShards[shard] = runtime.uptime() + Self.pauseAfterFailure
            report(error, "shard \(shard.rawValue) could not be acquired and loaded")
            return GameStore.isRejection(error)
        }
    }

    /// Continues with a shard that this node has acquired again before another node did: its state is still valid,
    /// including its unflushed changes, unless the database has lost commits, which the next look at its head shows.
    private func resume(_ leased: LeasedShard, with lease: ShardLease, as holder: UUID) {
        (leased.lease, leased.holder) = (lease, holder)
        leased.isLapsed = false
        leased.follower.isLeaving = false
        (leased.follower.isCaughtUp, leased.followed) = (false, nil)
        wakeSignal.notify()
        // While it was leaving, nothing was evaluated.
        step { leased.follower.evaluateAll(&$0) }
    }

    private func load(_ lease: ShardLease, as holder: UUID) async throws {
        guard let head = try await store.heads(of: [lease.shard]).first else {
            throw StoreError.missingShard(lease.shard)
        }
        // Spread over the interval, so that shards acquired together do not flush at the same time.
        let turn = settings.lazyFlushInterval * (Int(lease.shard.rawValue) + 1) / Shard.all.count
        let leased = LeasedShard(lease, holder: holder, at: head, lazyFlushDueAt: runtime.uptime() + turn)
        // Otherwise the next look at the head gives the lease back.
        let loaded = head.isSupported ? try await liveAdventures(of: leased) : nil
        // Another incarnation may have followed in the meantime.
        guard isPresent(as: holder) else { return }
        let isCorrecting = mayHaveLostCommits
        if head.isSupported { step { leased.follower.begin(with: loaded, isCorrecting: isCorrecting, &$0) } }
        shards[lease.shard] = leased
        // The next poll cycle evaluates its activities.
        wakeSignal.notify()
    }

    /// Tells the other nodes whether this one knows everything in all shards.
    ///
    /// A node that does not makes way for the others, who know more or as much. Without others, it keeps those that it
    /// knows.
    private func noteUnsupportedShards() async throws {
        let now = runtime.uptime()
        unsupportedShards = unsupportedShards.filter { $0.value > now }
        metrics.unsupportedShards.set(Double(unsupportedShards.count))
        let knowsAll = unsupportedShards.isEmpty
        guard knowsAll != isKnownToKnowAll else { return }
        presence.setKnowsAll(knowsAll)
        try await leaseStore.note(dispatcher: holder, knowsAll: knowsAll)
        isKnownToKnowAll = knowsAll
    }

    /// Performs an operation on each of some items, a few at a time.
    ///
    /// An operation returns false if the database is unavailable, so that its timeout occurs a few times and not for each
    /// item.
    private func concurrently<Item: Sendable>(
        _ items: some Collection<Item>,
        atMost limit: Int,
        _ work: @escaping @Sendable (Item) async -> Bool
    ) async {
        await withTaskGroup(of: Bool.self) { group in
            var waiting = items.makeIterator()
            for _ in 0..<limit {
                guard let item = waiting.next() else { break }
                group.addTask { await work(item) }
            }
            for await isAvailable in group where isAvailable {
                guard let item = waiting.next() else { continue }
                group.addTask { await work(item) }
            }
        }
    }

    // MARK: - Release

    /// Releases the leases of leaving shards that have no push in flight and are flushed, so that the next holder
    /// continues from there.
    func handOver() async {
        var leases: [ShardLease] = []
        let now = runtime.uptime()
        let leaving = shards.values.filter {
            $0.follower.isLeaving && !$0.follower.hasPushesInFlight && $0.mayFlush(at: now)
        }
        // The others follow in the next cycle, without a pause.
        if leaving.count > Self.maxConcurrentFlushes { isBehind = true }
        for leased in leaving.sorted(by: { $0.shard < $1.shard }).prefix(Self.maxConcurrentFlushes) {
            // A flush that failed is retried later.
            guard await flush(leased.shard) else { break }
            // After an interruption nothing is flushed until the logs are read; the next holder must know what was sent.
            guard shards[leased.shard] === leased, leased.follower.isFlushed else { continue }
            shards[leased.shard] = nil
            strayLeases[leased.shard] = leased.lease
            leases.append(leased.lease)
        }
        await release(leases)
    }

    /// Releases leases; those that cannot be released are tried again.
    func release(_ leases: [ShardLease]) async {
        for lease in leases { strayLeases[lease.shard] = lease }
        await concurrently(leases, atMost: Self.maxConcurrentFlushes) { await self.release($0) }
    }

    private func release(_ lease: ShardLease) async -> Bool {
        do {
            _ = try await store.release(lease, holder: holder)
            if strayLeases[lease.shard]?.epoch == lease.epoch { strayLeases[lease.shard] = nil }
            return true
        } catch {
            report(error, "the lease of shard \(lease.shard.rawValue) could not be released")
            return GameStore.isRejection(error)
        }
    }

    func drop(_ shard: Shard) {
        // A lapsed lease is counted already.
        guard let leased = shards.removeValue(forKey: shard), !leased.isLapsed else { return }
        // If only the checkpoint was refused, this node still holds it.
        strayLeases[shard] = leased.lease
        logger.warning("lost the lease of a shard", metadata: ["shard": "\(shard.rawValue)"])
        metrics.lostLeases.add()
    }
}
