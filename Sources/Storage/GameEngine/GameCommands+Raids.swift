import Encodings
public import GameCore
public import GameLog
public import GameStore
import ServiceRuntime

extension GameCommands {
    /// Starts a raid, at once or later.
    /// - Parameters:
    ///   - plan: the raid; a start in the past is now.
    ///   - author: the operator.
    ///   - request: the request; a repeated one with the same key starts no other raid. Nil without a key.
    ///   - dryRun: whether to change nothing.
    /// - Returns: the raid; in a dry run, the raid that would be started.
    /// - Throws: ``CommandError/keyReused``; errors of the store.
    public func startRaid(
        _ plan: RaidPlan,
        by author: AuditAuthor,
        request: IdempotentRequest? = nil,
        dryRun: Bool
    ) async throws -> Raid {
        guard !dryRun else { return raid(plan, in: Shard.all[0], at: try await store.now()) }
        // A repeated request finds the response in the same shard.
        let home =
            request.map { Shard.ofNewRaid(by: author.name, key: $0.key) }
            ?? Shard(rawValue: UInt8(truncatingIfNeeded: runtime.randomBits()))
        return try await metrics.counting("startRaid") {
            let response = try await withIdempotency(request, of: .operator(named: author.name), in: home) {
                transaction in
                let raid = raid(plan, in: home, at: transaction.now)
                transaction.insert(raid, by: author)
                return EncodedResponse(status: 201, body: raid.id.description)
            }
            guard let id = RaidID(response.body), let raid = try await store.raid(id) else {
                throw CommandError.raidNotFound
            }
            return raid
        }
    }

    private func raid(_ plan: RaidPlan, in home: Shard, at now: Timestamp) -> Raid {
        var generator = runtime.generator()
        let startsAt = max(plan.startsAt ?? now, now)
        return Raid(
            id: RaidID(at: now, in: home, using: &generator),
            boss: plan.boss,
            regions: plan.regions,
            schedule: RaidSchedule(startsAt: startsAt, endsAt: startsAt + plan.duration),
            health: plan.health,
            state: startsAt > now ? .scheduled : .running
        )
    }

    /// Stops a raid: no more damage counts, and the fights end without a reward.
    /// - Returns: the raid, which has ended.
    /// - Throws: ``CommandError/raidNotFound``; ``CommandError/raidOver``; errors of the store.
    public func stopRaid(_ id: RaidID, by author: AuditAuthor) async throws -> Raid {
        let stopped = try await metrics.counting("stopRaid") {
            try await store.withShard(id.shard) { try await $0.stopRaid(id, by: author) }
        }
        guard let stopped else { throw CommandError.raidNotFound }
        guard stopped.isStopped else { throw CommandError.raidOver }
        return stopped.raid
    }

    /// Lets a party join a raid, on behalf of its leader: a fight of its own against the common boss.
    ///
    /// The first party of a shard makes the shard a member of the raid, in the raid's home; the others need their own shard
    /// only.
    public func joinRaid(
        _ raidID: RaidID,
        with id: PartyID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: IdempotentRequest?,
        render: @Sendable (StoredAdventure) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        if let response = try await storedResponse(to: request, of: actor, in: id.shard) { return response }
        return try await metrics.counting("joinRaid") {
            try await withQuota(.adventure, of: actor, in: id.shard, request: request) {
                var found: (raid: Raid, firstRound: Int?)?
                if try await !store.takesPart(id.shard, in: raidID) {
                    // Without an effect for players of other parties.
                    guard try await store.party(id)?.member(actor) != nil else { throw CommandError.unknownParty }
                    found = try await store.addMember(id.shard, to: raidID)
                    if found == nil { throw CommandError.raidNotFound }
                }
                let response = try await withIdempotency(request, of: actor, in: id.shard) {
                    [found] transaction in
                    let party = try await party(id, with: actor, in: transaction)
                    // Closes a fight that has ended, whose damage counts.
                    _ = try await runningAdventure(of: party, in: &transaction)
                    let opening: RaidOpening
                    switch try await transaction.admission(to: raidID, found: found, of: id) {
                    case .open(let open): opening = open
                    case .notStarted: throw CommandError.raidNotStarted
                    case .over: throw CommandError.raidOver
                    }
                    let (stored, _) = try await startAdventure(of: party, by: actor, at: versions, in: &transaction) {
                        heroes,
                        seed in
                        Adventure.raid(opening, heroes: heroes, seed: seed)
                    }
                    return try render(stored)
                }
                return (response, true)
            }
        }
    }
}
