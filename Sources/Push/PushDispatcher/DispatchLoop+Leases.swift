import GameCore
import GameLog
import GameStore
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    /// Renews the leases that were not renewed recently.
    ///
    /// A separate task calls this, so that leases do not expire during a slow poll cycle. Each lease is renewed
    /// separately: first the leases with the fewest failures, and of these the ones that expire first. So a lease that
    /// cannot be renewed stops only the pushes of its own shard. A flush also renews the lease, so busy shards are
    /// seldom due.
    /// - Returns: the time from the beginning of this call to the next.
    func renewLeases() async -> Duration {
        let renewal = await concurrently(leasesToRenew()) { try await self.renew($0) }
        var succeeded = renewal.failure == nil
        if let failure = renewal.failure { report(failure, "leases could not be renewed") }
        do {
            if try await !dropLost(of: renewal.refused) { succeeded = false }
        } catch {
            succeeded = false
            report(error, "leases that could not be renewed may be lost")
        }
        measureLeases()
        return renewals.wait(succeeded: succeeded, randomBits: runtime.randomBits())
    }

    private func leasesToRenew() -> [ShardLease] {
        let now = newSendUntil()
        return shards.values.filter { renewals.isDue(after: now - $0.follower.sendUntil) }
            .sorted {
                ($0.renewalsFailed, $0.follower.sendUntil, $0.shard)
                    < ($1.renewalsFailed, $1.follower.sendUntil, $1.shard)
            }
            .map(\.lease)
    }

    private func renew(_ lease: ShardLease) async throws -> Bool {
        let sendUntil = newSendUntil()
        // Counted as a failure until it succeeds.
        shards[lease.shard]?.renewalsFailed += 1
        guard try await leaseStore.renew(lease, holder: holder, for: settings.leaseDuration) else { return false }
        extend(lease, until: sendUntil)
        return true
    }

    /// Notes that a lease was renewed, so that pushes of its shard may be sent until `sendUntil`.
    func extend(_ lease: ShardLease, until sendUntil: ContinuousClock.Instant) {
        guard let leased = shards[lease.shard], leased.lease.epoch == lease.epoch else { return }
        leased.follower.sendUntil = max(leased.follower.sendUntil, sendUntil)
        leased.renewalsFailed = 0
        guard leased.hasLoggedLock else { return }
        leased.hasLoggedLock = false
        logger.notice("the lease of a shard is renewed again", metadata: ["shard": "\(lease.shard.rawValue)"])
    }

    /// Drops those shards whose leases could not be renewed because this node no longer holds them.
    /// - Returns: false if this node still holds one of the leases, whose row another transaction has locked.
    private func dropLost(of refused: [ShardLease]) async throws -> Bool {
        guard !refused.isEmpty else { return true }
        let held = try await leaseStore.held(refused, by: holder)
        var isNoneLocked = true
        for lease in refused {
            guard let leased = shards[lease.shard], leased.lease.epoch == lease.epoch else { continue }
            if !held.contains(lease.shard) {
                drop(lease.shard)
            } else {
                isNoneLocked = false
                guard leased.follower.sendUntil <= runtime.uptime(), !leased.hasLoggedLock else { continue }
                leased.hasLoggedLock = true
                // A flush locks the row too, but not for that long.
                logger.warning(
                    "the lease of a shard cannot be renewed: another transaction has locked its row",
                    metadata: ["shard": "\(lease.shard.rawValue)"]
                )
            }
        }
        return isNoneLocked
    }

    /// The outcome of an operation on one lease.
    ///
    /// This is not a tuple of lease and `Result`, with which a release build of Swift 6.3.1 did not drop lost leases.
    private enum LeaseOutcome: Sendable {
        case done
        case refused(ShardLease)
        case failed(any Error)
    }

    /// The outcome of an operation on several leases.
    struct LeaseWork {
        /// The leases for which the database refused the operation.
        var refused: [ShardLease] = []
        /// The first error.
        var failure: (any Error)?
    }

    /// Performs an operation on each lease, a few at a time, each over a connection of its own.
    ///
    /// An error that the server reports affects one lease only. A connection that fails is not used again, so that the
    /// timeout of an unavailable database occurs once and not for each lease.
    func concurrently(
        _ leases: [ShardLease],
        _ work: @escaping @Sendable (ShardLease) async throws -> Bool
    ) async -> LeaseWork {
        await withTaskGroup(of: LeaseOutcome.self) { group in
            var result = LeaseWork()
            var waiting = leases[...]
            func addNext() {
                guard let lease = waiting.popFirst() else { return }
                group.addTask {
                    do {
                        return try await work(lease) ? .done : .refused(lease)
                    } catch {
                        return .failed(error)
                    }
                }
            }
            for _ in 0..<PushDispatcher.maxConcurrentLeases { addNext() }
            for await outcome in group {
                switch outcome {
                case .done:
                    addNext()
                case .refused(let lease):
                    result.refused.append(lease)
                    addNext()
                case .failed(let error):
                    result.failure = result.failure ?? error
                    if GameStore.isRejection(error) { addNext() }
                }
            }
            return result
        }
    }

    /// Acquires unleased shards up to this node's share, and marks the shards beyond it as leaving.
    ///
    /// The share counts a new node from its first heartbeat on, and a crashed node until its heartbeat expires, at
    /// about the time when its leases do. So nodes hand over shards beyond their share, and acquire shards up to it.
    func acquireFreeShards() async throws {
        // If this fails half-way, it is repeated soon.
        leasesDueAt = runtime.uptime() + settings.leaseDuration / 10
        let share = try await renewPresence()
        // Sorted, so that a seeded run is reproducible.
        let kept = shards.values.filter { !$0.follower.isLeaving }.sorted { $0.shard < $1.shard }
        for leased in kept.dropFirst(share) { leased.follower.isLeaving = true }
        let held = kept.count
        guard held < share else {
            leasesDueAt = runtime.uptime() + settings.leaseDuration / 3
            return
        }
        let free = try await leaseStore.unleasedShards().filter { unsupportedShards[$0] == nil }
        // Shuffled, so that nodes that start together seldom compete for a shard.
        var generator = runtime.generator()
        for shard in free.shuffled(using: &generator).prefix(min(Self.shardsPerCycle, share - held)) {
            let sendUntil = newSendUntil()
            guard let lease = try await leaseStore.acquireLease(of: shard, holder: holder, for: settings.leaseDuration)
            else {
                continue
            }
            if let leased = shards[shard] {
                // The lease had expired unnoticed. If no other node held it in between, the state of the shard is still
                // valid, including its unflushed changes; otherwise the shard is loaded again.
                if leased.lease.epoch + 1 == lease.epoch {
                    leased.lease = lease
                    leased.follower.sendUntil = sendUntil
                    leased.follower.isLeaving = false
                    // While it was leaving, nothing was evaluated.
                    step { leased.follower.evaluateAll(&$0) }
                    continue
                }
                drop(shard)
            }
            // Spread over the interval, so that shards acquired together do not flush at the same time.
            let turn = settings.lazyFlushInterval * (Int(shard.rawValue) + 1) / Shard.all.count
            do {
                guard let head = try await store.heads(of: [shard]).first else { throw StoreError.missingShard(shard) }
                let leased = LeasedShard(
                    lease,
                    at: head,
                    sendUntil: sendUntil,
                    lazyFlushDueAt: runtime.uptime() + turn
                )
                // Otherwise the next look at the head gives the lease back.
                if head.isSupported {
                    let loaded = try await liveAdventures(of: leased)
                    step { leased.follower.begin(with: loaded, &$0) }
                }
                shards[shard] = leased
            } catch {
                // A shard that cannot be loaded does not delay the others; its lease expires, and it is acquired again.
                report(error, "shard \(shard.rawValue) could not be loaded")
            }
        }
        if free.count > Self.shardsPerCycle, held + Self.shardsPerCycle < share {
            // No node sends for an unleased shard, so the next cycle follows without a pause.
            leasesDueAt = runtime.uptime()
            isBehind = true
        }
    }

    /// Tells the other nodes that this one is present.
    ///
    /// A node that does not know everything in some shard makes way for the others, who know more or as much: they share
    /// all shards. Without others, it keeps those that it knows.
    /// - Returns: the number of shards that this node may hold.
    private func renewPresence() async throws -> Int {
        let now = runtime.uptime()
        unsupportedShards = unsupportedShards.filter { $0.value > now }
        metrics.unsupportedShards.set(Double(unsupportedShards.count))
        if !unsupportedShards.isEmpty {
            try await leaseStore.remove(dispatcher: holder)
            guard try await leaseStore.dispatcherCount() == 0 else { return 0 }
        }
        let rank = try await leaseStore.heartbeat(
            dispatcher: holder,
            sendingTo: environments,
            for: settings.leaseDuration
        )
        return rank.share(of: settings.shardCount)
    }

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
            guard shards[leased.shard] === leased else { continue }
            shards[leased.shard] = nil
            leases.append(leased.lease)
        }
        await release(leases)
    }

    /// Releases leases; a lease that cannot be released expires.
    func release(_ leases: [ShardLease]) async {
        let (store, holder) = (leaseStore, holder)
        var result = await concurrently(leases) { try await store.release($0, holder: holder) }
        // This node's own renewal may have locked the row at that moment.
        if result.failure == nil, !result.refused.isEmpty {
            result = await concurrently(result.refused) { try await store.release($0, holder: holder) }
        }
        if let failure = result.failure { report(failure, "leases could not be released; they will expire") }
    }

    /// Returns the time until which a lease requested now allows pushes, by this node's clock: a fifth of its duration
    /// is left for pushes in flight.
    func newSendUntil() -> ContinuousClock.Instant {
        runtime.uptime() + settings.leaseDuration * 4 / 5
    }

    func drop(_ shard: Shard) {
        logger.warning("lost the lease of a shard", metadata: ["shard": "\(shard.rawValue)"])
        metrics.lostLeases.add()
        shards[shard] = nil
    }
}
