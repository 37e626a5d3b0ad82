import GameCore
import GameStore
import Logging
import RangersMetrics

extension DispatchLoop {
    /// Renews the leases; called by a task of its own, so that nothing that takes long in a round loses them.
    /// - Returns: when to do so again.
    func renewLeases() async -> Duration {
        let held = shards.values.map(\.lease)
        var isAnswered = held.isEmpty
        if !held.isEmpty {
            await reporting("leases could not be renewed") {
                try await renew(held)
                isAnswered = true
            }
            measureLeases()
        }
        return renewals.wait(isAnswered: isAnswered, randomBits: surroundings.randomBits())
    }

    private func renew(_ held: [Lease]) async throws {
        let sendUntil = newSendUntil()
        let kept = try await leaseStore.renew(held, holder: holder, for: settings.leaseDuration)
        for lease in held where shards[lease.shard]?.lease.epoch == lease.epoch {
            if kept.contains(lease.shard) {
                shards[lease.shard]?.sendUntil = sendUntil
            } else {
                drop(lease.shard)
            }
        }
    }

    /// Takes free shards until this node has its share of them, and lets go of what it has beyond that.
    ///
    /// A node that comes is counted as soon as it says that it is there, and one that has crashed until what it has said
    /// expires, about when its leases do: so the others hand over what is too much for them, and take what is too little.
    func takeFreeShards() async throws {
        // Asked again soon when this fails half-way.
        leasesDueAt = surroundings.uptime() + settings.leaseDuration / 10
        let rank = try await leaseStore.announce(dispatcher: holder, for: settings.leaseDuration)
        let share = rank.share(of: settings.shardCount)
        let held = shards.values.count { !$0.isLeaving }
        // In an order of their own, so that the same life has the same course wherever it is lived again.
        let kept = shards.values.filter { !$0.isLeaving }.sorted { $0.shard < $1.shard }
        for followed in kept.dropFirst(share) { followed.isLeaving = true }
        guard held < share else {
            leasesDueAt = surroundings.uptime() + settings.leaseDuration / 3
            return
        }
        let free = try await leaseStore.freeShards()
        // In an order of its own, so that nodes that start together get in each other's way little.
        var generator = surroundings.generator()
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
                documentDueAt: surroundings.uptime() + turn
            )
            // A shard that cannot be loaded does not hold up the others; its lease runs out, and it is tried again.
            await reporting("shard \(shard.rawValue) could not be taken over") {
                try await load(followed)
                shards[shard] = followed
            }
        }
        if free.count > Self.shardsPerRound, held + Self.shardsPerRound < share {
            // Nobody's phones are pushed to while a shard is free: the next part follows without a pause.
            leasesDueAt = surroundings.uptime()
            isBehind = true
        }
    }

    /// Gives back the leases of shards that are another node's share, once nothing is under way for them and all that was
    /// sent is written down: the next holder goes on from there.
    func handOver() async {
        var leases: [Lease] = []
        let now = surroundings.uptime()
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
        guard !leases.isEmpty else { return }
        await reporting("leases could not be handed over; they expire by themselves") {
            try await leaseStore.giveBack(leases, holder: holder)
        }
    }

    /// The end of a lease asked for now, on this node's clock, with a fifth to spare for what is on its way then.
    func newSendUntil() -> ContinuousClock.Instant {
        surroundings.uptime() + settings.leaseDuration * 4 / 5
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
            _ = follow(activity, in: adventure, decisions: decisions[key])
        }
    }
}
