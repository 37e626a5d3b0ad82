import Encodings
public import GameCore
public import GameLog
import Logging
import PostgresClient

// What the home of a raid does: it adds up the rounds that are complete, decides, and delivers what it has decided to all
// members. Any number of nodes may do it: the raid's row is locked while rounds are added up, and each member takes each
// decision once, by its number.

/// What a node did for a raid.
public struct RaidProgress: Sendable, Hashable {
    /// The number of rounds that were added up.
    public var rounds = 0
    /// How long ago the oldest round ended that is not added up; zero if all are.
    public var lag = Duration.zero
    /// The shards whose rows of that round, or whose blows in it, are missing for more than a second.
    public var waitingFor: [Shard] = []
    /// The number of shards that took decisions.
    public var deliveries = 0
    /// The shards that could not be reached, and are tried again, each with the error.
    public var failures: [Shard: String] = [:]
}

extension GameStore {
    /// The maximum number of rounds that a transaction adds up.
    private static let maxAddedRounds = 32
    /// How long a row may be missing until the raid waits for its shard.
    private static let raidPatience = Duration.seconds(1)
    /// The maximum number of members to which decisions are delivered at once.
    private static let maxConcurrentDeliveries = 4

    /// Returns the raids with work left for their homes, without those on machines that do not respond.
    public func openRaids() async throws -> [Raid] {
        try await rows(of: Shard.all) { shards in
            PostgresQuery(RaidStatements.open, shards.map(\.column), clock.now?().postgres)
        }.map { try RaidStatements.decode($0).0 }
    }

    /// Forgets what is kept in memory for other raids, some time after their end; called a few times a second at most.
    package func forgetRaids(besides open: Set<RaidID>) { raidFollowers.forget(besides: open) }

    /// Adds up the rounds of a raid that are complete, and delivers what is decided.
    ///
    /// Idempotent, and safe on several nodes at once.
    /// - Parameter found: the raid as it was read.
    /// - Returns: what was done.
    /// - Throws: errors of the store. A member that could not be reached is among the failures instead.
    public func advance(_ found: Raid) async throws -> RaidProgress {
        var progress = RaidProgress()
        var raid = found
        guard raid.state != .scheduled else { return progress }
        let members = try Self.members(
            try await pool.query(PostgresQuery(RaidStatements.members, raid.id.shard.column, raid.id))
        )
        let states = try await memberStates(of: raid.id, members.keys.sorted())
        for (shard, firstRound) in members.sorted(by: { $0.key < $1.key }) where states[shard] == nil {
            // A party that joined did not come to its second transaction, at least not yet.
            try await reach(shard, &progress) { [raid] in _ = try await $0.takePart(in: raid, from: firstRound) }
        }
        if raid.endedAt == nil {
            guard let added = try await addRounds(to: raid, of: members, &progress) else {
                return progress
            }
            raid = added.raid
            for shard in added.unlisted where states[shard]?.blowsFrom == nil {
                try await reach(shard, &progress) { [raid] in
                    try await $0.requestBlows(of: raid.id, from: raid.round)
                }
            }
        }
        try await deliver(raid, to: members.keys.sorted(), states, &progress)
        return progress
    }

    /// How far a member is.
    private struct MemberState: Sendable {
        let delivered: Int
        let blowsFrom: Int?
    }

    /// The result of adding up rounds.
    private struct AddedRounds: Sendable {
        /// The raid afterwards.
        let raid: Raid
        /// The number of rounds.
        let count: Int
        /// The members that have to list their blows before the next round is added.
        let unlisted: [Shard]
        let lag: Duration
    }

    /// Returns the shards with parties in a raid that have not taken its newest decision, in order.
    /// - Throws: `PostgresError`; ``StoreError``.
    public func shardsBehind(in raid: Raid) async throws -> [Shard] {
        let members = try Self.members(
            try await pool.query(PostgresQuery(RaidStatements.members, raid.id.shard.column, raid.id))
        ).keys.sorted()
        let states = try await memberStates(of: raid.id, members)
        let newest = raid.decision?.number ?? 0
        return members.filter { states[$0].map { $0.delivered < newest } ?? true }
    }

    private func memberStates(of id: RaidID, _ members: [Shard]) async throws -> [Shard: MemberState] {
        guard !members.isEmpty else { return [:] }
        var states: [Shard: MemberState] = [:]
        let rows = try await rows(of: members) {
            PostgresQuery(RaidMemberStatements.progress, $0.map(\.column), id)
        }
        for row in rows {
            let (shard, delivered, blowsFrom) = try row.decode(Int16.self, Int32.self, Int32?.self)
            states[Shard(rawValue: UInt8(truncatingIfNeeded: shard))] = MemberState(
                delivered: Int(delivered),
                blowsFrom: blowsFrom.map { Int($0) }
            )
        }
        return states
    }

    /// Changes a member under its shard's lock; notes if that fails.
    private func reach(
        _ shard: Shard,
        _ progress: inout RaidProgress,
        _ change: @Sendable (inout ShardTransaction) async throws -> Void
    ) async throws {
        do { try await withShard(shard, change) } catch {
            guard !(error is CancellationError) else { throw error }
            progress.failures[shard] = "\(error)"
        }
    }

    /// Adds up complete rounds.
    /// - Returns: nil if another node holds the raid, or has ended it.
    private func addRounds(
        to found: Raid,
        of members: [Shard: Int],
        _ progress: inout RaidProgress
    ) async throws -> AddedRounds? {
        let (rows, last) = try await rounds(of: found, in: members)
        let id = found.id
        let added = try await pool.withTransaction { connection -> AddedRounds? in
            let locked = try await connection.pipeline([
                PostgresQuery(RaidStatements.lockIfFree, id.shard.column, id, clock.now?().postgres),
                PostgresQuery(RaidStatements.members, id.shard.column, id),
            ])
            guard let row = locked[0].first else { return nil }
            let (raid, now) = try RaidStatements.decode(row)
            guard raid.endedAt == nil else { return nil }
            var ledger = raid.ledger(of: try Self.members(locked[1]))
            var totals: [RaidLedger.Total] = []
            var decisions: [RaidDecision] = []
            var unlisted: [Shard] = []
            var missing: [Shard] = []
            adding: while !ledger.isOver, totals.count < Self.maxAddedRounds,
                raid.schedule.end(ofRound: ledger.nextRound) <= now
            {
                let round = rows[ledger.nextRound] ?? [:]
                missing = ledger.waitsFor(round)
                guard missing.isEmpty else { break }
                switch ledger.add(round) {
                case .added(let total, let decision):
                    totals.append(total)
                    if let decision { decisions.append(decision) }
                case .needsBlows(let shards):
                    // If another node has added rounds meanwhile, the next cycle reads the blows.
                    if last == ledger.nextRound { unlisted = shards }
                    break adding
                }
            }
            let lag = ledger.isOver ? .zero : max(.zero, now - raid.schedule.end(ofRound: ledger.nextRound))
            let waitingFor = lag > Self.raidPatience ? missing.isEmpty ? unlisted : missing : []
            guard !totals.isEmpty || waitingFor != raid.waitingFor else {
                return AddedRounds(raid: raid, count: 0, unlisted: unlisted, lag: lag)
            }
            let parties = totals.last?.parties ?? raid.parties
            let queries =
                [
                    RaidStatements.update(raid, to: ledger, parties: parties, waitingFor: waitingFor, at: now),
                    PostgresQuery(RaidStatements.read, id.shard.column, id, now.postgres),
                ] + RaidStatements.insert(totals, of: id) + RaidStatements.insert(decisions, of: id)
            let results = try await connection.pipeline(queries, committing: true)
            let after = try results[1].first.map { try RaidStatements.decode($0).0 } ?? raid
            return AddedRounds(raid: after, count: totals.count, unlisted: unlisted, lag: lag)
        }
        guard let added else { return nil }
        progress.rounds = added.count
        progress.lag = added.lag
        progress.waitingFor = added.raid.waitingFor
        if let outcome = added.raid.decision?.outcome {
            logger.notice("a raid has ended", metadata: ["raid": "\(id)", "state": "\(Raid.State(outcome).rawValue)"])
        }
        return added
    }

    /// Returns the rows of the next rounds of a raid, by round and member, without their blows.
    ///
    /// Only the round in which the boss falls has them, if its rows are complete: the blows of a million parties in a round
    /// are megabytes.
    /// - Parameters:
    ///   - raid: the raid.
    ///   - members: the members, each with its first round.
    /// - Returns: the rows, and the round in which the boss falls; nil if it is not among them.
    /// - Throws: `PostgresError`; ``StoreError``.
    private func rounds(
        of raid: Raid,
        in members: [Shard: Int]
    ) async throws -> (rows: [Int: [Shard: RaidRound]], last: Int?) {
        guard !members.isEmpty else { return ([:], nil) }
        let found = try await rows(of: members.keys.sorted()) { shards in
            PostgresQuery(
                RaidMemberStatements.rounds,
                shards.map(\.column),
                raid.id,
                Int32(clamping: raid.round),
                Int32(clamping: raid.round + Self.maxAddedRounds)
            )
        }
        var rounds: [Int: [Shard: RaidRound]] = [:]
        for row in found {
            let (shard, number, damage, fights, biggestBlow) = try row.decode(
                Int16.self,
                Int32.self,
                Int64.self,
                Int32.self,
                String?.self
            )
            let member = Shard(rawValue: UInt8(truncatingIfNeeded: shard))
            rounds[Int(number), default: [:]][member] = try Self.decoding(Int(number), of: raid.id, in: member) {
                () throws(AdventureDecodingError) in
                try RaidRound(
                    round: Int(number),
                    damage: Int(damage),
                    fights: Int(fights),
                    encodedBiggestBlow: biggestBlow,
                    encodedBlows: nil
                )
            }
        }
        var ledger = raid.ledger(of: members)
        while !ledger.isOver, let round = rounds[ledger.nextRound], ledger.waitsFor(round).isEmpty {
            let number = ledger.nextRound
            guard case .needsBlows(let shards) = ledger.add(round) else { continue }
            rounds[number] = try await listing(round, number, of: raid.id, in: shards)
            return (rounds, number)
        }
        return (rounds, nil)
    }

    /// Returns the rows of a round with the blows that members have listed.
    private func listing(
        _ round: [Shard: RaidRound],
        _ number: Int,
        of id: RaidID,
        in members: [Shard]
    ) async throws -> [Shard: RaidRound] {
        let found = try await rows(of: members) { shards in
            PostgresQuery(RaidMemberStatements.blows, shards.map(\.column), id, Int32(clamping: number))
        }
        var round = round
        for row in found {
            let (shard, blows) = try row.decode(Int16.self, String.self)
            let member = Shard(rawValue: UInt8(truncatingIfNeeded: shard))
            guard let sum = round[member] else { continue }
            round[member] = try Self.decoding(number, of: id, in: member) { () throws(AdventureDecodingError) in
                try RaidRound(
                    round: number,
                    damage: sum.damage,
                    fights: sum.fights,
                    encodedBiggestBlow: sum.biggestBlow?.encoded,
                    encodedBlows: blows
                )
            }
        }
        return round
    }

    /// Decodes a row of a round, whose key is in the error.
    private static func decoding(
        _ number: Int,
        of id: RaidID,
        in member: Shard,
        _ decode: () throws(AdventureDecodingError) -> RaidRound
    ) throws(StoreError) -> RaidRound {
        do { return try decode() } catch {
            let key = "\(member.rawValue)/\(id)/\(number)"
            throw .undecodable(table: "raid_rounds", id: key, reason: error.reason)
        }
    }

    /// Delivers decisions to the members that have not taken them, and settles a raid that is over for all of them.
    private func deliver(
        _ raid: Raid,
        to members: [Shard],
        _ states: [Shard: MemberState],
        _ progress: inout RaidProgress
    ) async throws {
        let newest = raid.decision?.number ?? 0
        let behind = members.filter { shard in states[shard].map { $0.delivered < newest } ?? false }
        guard !behind.isEmpty else {
            if raid.endedAt != nil, states.count == members.count {
                _ = try await pool.query(PostgresQuery(RaidStatements.settle, raid.id.shard.column, raid.id))
            }
            return
        }
        let first = behind.compactMap { states[$0]?.delivered }.min() ?? newest
        let rows = try await pool.query(
            PostgresQuery(RaidStatements.decisions, raid.id.shard.column, raid.id, Int32(clamping: first))
        )
        let decisions = try rows.compactMap { try RaidStatements.decision(try $0.decode(String.self), of: raid.id) }
        let failures = await withTaskGroup(of: [Shard: String].self) { group in
            var failures: [Shard: String] = [:]
            for (number, shard) in behind.enumerated() {
                if number >= Self.maxConcurrentDeliveries, let failed = await group.next() {
                    failures.merge(failed) { $1 }
                }
                group.addTask {
                    var progress = RaidProgress()
                    do {
                        try await reach(shard, &progress) { try await $0.take(decisions, about: raid) }
                    } catch { return [shard: "\(error)"] }
                    return progress.failures
                }
            }
            return await group.reduce(into: failures) { $0.merge($1) { $1 } }
        }
        progress.deliveries = behind.count - failures.count
        progress.failures.merge(failures) { $1 }
    }
}
