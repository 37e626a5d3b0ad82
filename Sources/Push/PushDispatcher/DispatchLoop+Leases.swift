import GameCore
import GameStore
import Logging
import PushCadence
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    /// Renews the leases that have not been renewed of late; called by a task of its own, so that nothing that takes long in a
    /// round loses them.
    ///
    /// Each is renewed by itself, those first that have failed least, and of them those that end first: one that cannot be
    /// renewed costs its shard the pushes, and the others nothing. What is sent is written down with a renewal, so shards
    /// that are busy are seldom among them.
    /// - Returns: how long from its beginning to do so again.
    func renewLeases() async -> Duration {
        let renewal = await sideBySide(leasesToRenew()) { try await self.renew($0) }
        var isAnswered = renewal.failure == nil
        if let failure = renewal.failure { report(failure, "leases could not be renewed") }
        do {
            if try await !dropLost(of: renewal.refused) { isAnswered = false }
        } catch {
            isAnswered = false
            report(error, "leases that could not be renewed may be lost")
        }
        measureLeases()
        return renewals.wait(isAnswered: isAnswered, randomBits: runtime.randomBits())
    }

    private func leasesToRenew() -> [Lease] {
        let now = newSendUntil()
        return shards.values.filter { renewals.isDue(after: now - $0.sendUntil) }
            .sorted { ($0.renewalsFailed, $0.sendUntil, $0.shard) < ($1.renewalsFailed, $1.sendUntil, $1.shard) }
            .map(\.lease)
    }

    private func renew(_ lease: Lease) async throws -> Bool {
        let sendUntil = newSendUntil()
        // Until it is known.
        shards[lease.shard]?.renewalsFailed += 1
        guard try await leaseStore.renew(lease, holder: holder, for: settings.leaseDuration) else { return false }
        extend(lease, until: sendUntil)
        return true
    }

    /// A lease was renewed, with which its shard may be sent for until a moment.
    func extend(_ lease: Lease, until sendUntil: ContinuousClock.Instant) {
        guard let followed = shards[lease.shard], followed.lease.epoch == lease.epoch else { return }
        followed.sendUntil = max(followed.sendUntil, sendUntil)
        followed.renewalsFailed = 0
        guard followed.isKnownLocked else { return }
        followed.isKnownLocked = false
        logger.notice("a shard's lease is renewed again", metadata: ["shard": "\(lease.shard.rawValue)"])
    }

    /// Lets go of those leases, of some that could not be renewed, that are another's or nobody's.
    /// - Returns: whether none of them is still this node's, but locked by somebody else.
    private func dropLost(of refused: [Lease]) async throws -> Bool {
        guard !refused.isEmpty else { return true }
        let held = try await leaseStore.held(refused, by: holder)
        var isNoneLocked = true
        for lease in refused {
            guard let followed = shards[lease.shard], followed.lease.epoch == lease.epoch else { continue }
            if !held.contains(lease.shard) {
                drop(lease.shard)
            } else {
                isNoneLocked = false
                guard followed.sendUntil <= runtime.uptime(), !followed.isKnownLocked else { continue }
                followed.isKnownLocked = true
                // A settling, too, locks the row for a moment; this is longer.
                logger.warning(
                    "a shard's lease cannot be renewed: somebody has its row locked",
                    metadata: ["shard": "\(lease.shard.rawValue)"]
                )
            }
        }
        return isNoneLocked
    }

    /// What came of something that was done with one lease.
    ///
    /// Not a tuple of lease and `Result`: with that a release build of Swift 6.3.1 did not let go of lost leases.
    private enum LeaseOutcome: Sendable {
        case done
        case refused(Lease)
        case failed(any Error)
    }

    /// What came of something that was done with leases, each by itself.
    struct LeaseWork {
        /// Those with which it could not be done, as the database has answered.
        var refused: [Lease] = []
        /// The first thing that went wrong with others.
        var failure: (any Error)?
    }

    /// Does something with leases, each by itself, a few at a time over a connection each.
    ///
    /// What the server refuses for one lease, it may do for the others. Where a connection fails one less is worked with, so
    /// that a database which is gone is waited for once and not for each lease.
    func sideBySide(
        _ leases: [Lease],
        _ work: @escaping @Sendable (Lease) async throws -> Bool
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
            for _ in 0..<PushDispatcher.leasesAtOnce { addNext() }
            for await outcome in group {
                switch outcome {
                case .done:
                    addNext()
                case .refused(let lease):
                    result.refused.append(lease)
                    addNext()
                case .failed(let error):
                    result.failure = result.failure ?? error
                    if GameStore.isRefusal(error) { addNext() }
                }
            }
            return result
        }
    }

    /// Takes free shards until this node has its share of them, and lets go of what it has beyond that.
    ///
    /// A node that comes is counted as soon as it says that it is there, and one that has crashed until what it has said
    /// expires, about when its leases do: so the others hand over what is too much for them, and take what is too little.
    func takeFreeShards() async throws {
        // Asked again soon when this fails half-way.
        leasesDueAt = runtime.uptime() + settings.leaseDuration / 10
        let rank = try await leaseStore.announce(dispatcher: holder, for: settings.leaseDuration)
        let share = rank.share(of: settings.shardCount)
        let held = shards.values.count { !$0.isLeaving }
        // In an order of their own, so that the same life has the same course wherever it is lived again.
        let kept = shards.values.filter { !$0.isLeaving }.sorted { $0.shard < $1.shard }
        for followed in kept.dropFirst(share) { followed.isLeaving = true }
        guard held < share else {
            leasesDueAt = runtime.uptime() + settings.leaseDuration / 3
            return
        }
        let free = try await leaseStore.freeShards()
        // In an order of its own, so that nodes that start together get in each other's way little.
        var generator = runtime.generator()
        for shard in free.shuffled(using: &generator).prefix(min(Self.shardsPerRound, share - held)) {
            let sendUntil = newSendUntil()
            guard let lease = try await leaseStore.takeLease(of: shard, holder: holder, for: settings.leaseDuration)
            else {
                continue
            }
            if let followed = shards[shard] {
                // It was this node's until it ran out unnoticed. If nobody had it in between, all that is known still holds,
                // what was sent and not yet written down included; else what was followed must not send besides.
                if followed.lease.epoch + 1 == lease.epoch {
                    followed.lease = lease
                    followed.sendUntil = sendUntil
                    followed.isLeaving = false
                    // What came up while it was leaving was let go.
                    considerAll(of: Set(followed.adventures.keys), in: followed)
                    continue
                }
                drop(shard)
            }
            // Somewhere within the interval, so that shards taken over together do not write all at once.
            let turn = settings.documentInterval * (Int(shard.rawValue) + 1) / Shard.all.count
            let followed = FollowedShard(
                lease: lease,
                sendUntil: sendUntil,
                documentDueAt: runtime.uptime() + turn
            )
            // A shard that cannot be loaded does not hold up the others; its lease runs out, and it is tried again.
            await reporting("shard \(shard.rawValue) could not be taken over") {
                try await load(followed)
                shards[shard] = followed
            }
        }
        if free.count > Self.shardsPerRound, held + Self.shardsPerRound < share {
            // Nobody's phones are pushed to while a shard is free: the next part follows without a pause.
            leasesDueAt = runtime.uptime()
            isBehind = true
        }
    }

    /// Gives back the leases of shards that are another node's share, once nothing is under way for them and all that was
    /// sent is written down: the next holder goes on from there.
    func handOver() async {
        var leases: [Lease] = []
        let now = runtime.uptime()
        let leaving = shards.values.filter { $0.isLeaving && !$0.hasPushesUnderWay && $0.maySettle(at: now) }
        // The others in the next round, without a pause.
        if leaving.count > Self.settledAtOnce { isBehind = true }
        for followed in leaving.sorted(by: { $0.shard < $1.shard }).prefix(Self.settledAtOnce) {
            // What could not be written is tried again in a while.
            guard await settle(followed.shard) else { break }
            guard shards[followed.shard] === followed else { continue }
            shards[followed.shard] = nil
            leases.append(followed.lease)
        }
        await giveBack(leases)
    }

    /// Gives leases back; one that cannot be expires by itself.
    func giveBack(_ leases: [Lease]) async {
        let (store, holder) = (leaseStore, holder)
        var result = await sideBySide(leases) { try await store.giveBack($0, holder: holder) }
        // A renewal of this node's own may have had the row at that moment.
        if result.failure == nil, !result.refused.isEmpty {
            result = await sideBySide(result.refused) { try await store.giveBack($0, holder: holder) }
        }
        if let failure = result.failure { report(failure, "leases could not be given back; they expire by themselves") }
    }

    /// The end of a lease asked for now, on this node's clock, with a fifth to spare for what is on its way then.
    func newSendUntil() -> ContinuousClock.Instant {
        runtime.uptime() + settings.leaseDuration * 4 / 5
    }

    func drop(_ shard: Shard) {
        logger.warning("lost the lease of a shard", metadata: ["shard": "\(shard.rawValue)"])
        metrics.lostLeases.add()
        shards[shard] = nil
    }

    /// Loads the live activities of a shard just taken over.
    ///
    /// Its log is read from the checkpoint on afterwards, which brings everything that they are owed.
    func load(_ followed: FollowedShard) async throws {
        let activities = try await store.liveActivities(of: followed.shard)
        guard !activities.isEmpty else { return }
        let ids = Array(Set(activities.map(\.adventureID))).sorted()
        let position = try await store.heads(of: [followed.shard]).first?.head ?? followed.tail
        try await refresh(ids, of: followed, through: position)
        let decisions = Dictionary(
            try await store.liveDecisions(of: followed.shard).map {
                (ActivityKey(adventureID: $0.adventureID, activityID: $0.activityID), $0.entries)
            },
            uniquingKeysWith: { $1 }
        )
        // The last pushed first: of several cards of a phone it says most of its budget.
        for activity in activities.sorted(by: { $0.lastTimestamp > $1.lastTimestamp }) {
            guard let adventure = followed.adventures[activity.adventureID] else { continue }
            let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
            guard let activity = follow(activity, in: adventure, decisions: decisions[key]) else { continue }
            activity.isProven = activity.decisions.hasAcceptedToken
            if activity.isProven { routes.noteProvenToken(in: activity.activity.environment) }
        }
    }
}
