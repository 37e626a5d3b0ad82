import Encodings
public import GameCore
public import GameLog
import PostgresClient

extension AuditAction {
    /// A raid was started, or scheduled.
    public static let raidStart = Self(rawValue: "raid.start")
    /// A raid was stopped.
    public static let raidStop = Self(rawValue: "raid.stop")
}

extension GameStore {
    /// Returns raids, those that start last first.
    /// - Parameters:
    ///   - includingEnded: whether to include raids that have ended.
    ///   - limit: the maximum number of raids.
    /// - Returns: the raids.
    /// - Throws: `PostgresError`; ``StoreError``.
    public func raids(includingEnded: Bool, limit: Int) async throws -> [Raid] {
        let statement = includingEnded ? RaidStatements.list : RaidStatements.current
        return try await pool.query(PostgresQuery(statement, clock.now?().postgres, Int64(limit)))
            .map { try RaidStatements.decode($0).0 }
    }

    /// Returns a raid; nil if there is none with this identifier.
    public func raid(_ id: RaidID) async throws -> Raid? {
        try await pool.query(
            PostgresQuery(RaidStatements.read, id.shard.column, id, clock.now?().postgres)
        ).first.map { try RaidStatements.decode($0).0 }
    }

    /// Returns rounds of a raid that are added up, oldest first.
    /// - Parameters:
    ///   - id: the raid.
    ///   - round: the last round of the previous page; -1 for the first page.
    ///   - limit: the maximum number of rounds.
    /// - Returns: the rounds.
    /// - Throws: `PostgresError`; ``StoreError``.
    public func raidHistory(of id: RaidID, after round: Int, limit: Int) async throws -> [RaidHistoryEntry] {
        try await pool.query(
            PostgresQuery(RaidStatements.history, id.shard.column, id, Int32(clamping: round), Int64(limit))
        ).map { row in
            let (round, damage, parties, healthLeft, phase, blow) = try row.decode(
                Int32.self,
                Int64.self,
                Int32.self,
                Int64.self,
                Int32.self,
                String?.self
            )
            return RaidHistoryEntry(
                round: Int(round),
                damage: Int(damage),
                parties: Int(parties),
                healthLeft: Int(healthLeft),
                phase: Int(phase),
                biggestBlow: try RaidStatements.blow(blow, of: id)
            )
        }
    }

    /// Lets a shard take part in a raid from its next round on, unless it does already.
    ///
    /// The first of two transactions of a party that joins, the second of which is in the party's shard. If it does not
    /// follow, the raid's home lets the shard write empty rounds.
    /// - Returns: the raid, and the first round to which the shard adds, or nil if the raid does not run; nil if there is no
    ///   such raid.
    /// - Throws: `PostgresError`; ``StoreError``.
    package func addMember(_ shard: Shard, to id: RaidID) async throws -> (raid: Raid, firstRound: Int?)? {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(
                PostgresQuery(RaidStatements.lock, id.shard.column, id, clock.now?().postgres)
            )
            guard let row = rows.first else { return nil }
            let (raid, now) = try RaidStatements.decode(row)
            guard raid.state == .running, now < raid.endsAt else { return (raid, nil) }
            let members = try await members(of: id, on: connection)
            if let first = members[shard] { return (raid, first) }
            let insert = PostgresQuery(
                RaidStatements.insertMember,
                id.shard.column,
                id,
                shard.column,
                Int32(clamping: raid.round)
            )
            _ = try await connection.pipeline([insert], committing: true)
            return (raid, raid.round)
        }
    }

    /// Returns the members of a raid, each with its first round.
    func members(of id: RaidID, on connection: PostgresConnection) async throws -> [Shard: Int] {
        try Self.members(await connection.query(PostgresQuery(RaidStatements.members, id.shard.column, id)))
    }

    static func members(_ rows: PostgresRows) throws -> [Shard: Int] {
        var members: [Shard: Int] = [:]
        for row in rows {
            let (member, firstRound) = try row.decode(Int16.self, Int32.self)
            members[Shard(rawValue: UInt8(truncatingIfNeeded: member))] = Int(firstRound)
        }
        return members
    }

    /// Returns whether a shard takes part in a raid that goes on, as far as the shard knows.
    package func takesPart(_ shard: Shard, in id: RaidID) async throws -> Bool {
        let rows = try await pool.query(PostgresQuery(RaidMemberStatements.read, shard.column, id))
        return try rows.first.map { try !RaidMember($0).hasEnded } ?? false
    }
}

/// How a party may join a raid.
package enum RaidAdmission: Sendable {
    /// The raid goes on; the fight begins with this opening.
    case open(RaidOpening)
    /// The raid has not started.
    case notStarted
    /// The raid has ended.
    case over
}

extension ShardTransaction {
    /// Records a new raid, in its home.
    package mutating func insert(_ raid: Raid, by author: AuditAuthor) {
        precondition(raid.id.shard == shard, "raid \(raid.id) has another home than \(shard.rawValue)")
        writes.append(
            PostgresQuery(
                RaidStatements.insert,
                shard.column,
                raid.id,
                raid.boss,
                Int64(raid.health),
                raid.regions.map(\.rawValue),
                raid.startsAt.postgres,
                raid.endsAt.postgres
            )
        )
        let facts = [
            "boss": raid.boss.rawValue, "health": "\(raid.health)", "startsAt": raid.startsAt.rfc3339,
            "endsAt": raid.endsAt.rfc3339, "regions": raid.regions.map(\.rawValue).joined(separator: ","),
        ]
        audit(AuditChange(.raidStart, of: "raid/\(raid.id)", after: facts, by: author))
    }

    /// Stops a raid, in its home.
    /// - Returns: the raid after the change, or as it ended before; nil if there is no such raid. And whether it changed.
    package mutating func stopRaid(_ id: RaidID, by author: AuditAuthor) async throws -> (raid: Raid, isStopped: Bool)?
    {
        let rows = try await connection.query(PostgresQuery(RaidStatements.lock, shard.column, id, now.postgres))
        guard let row = rows.first else { return nil }
        let (raid, _) = try RaidStatements.decode(row)
        guard raid.endedAt == nil else { return (raid, false) }
        var ledger = raid.ledger(of: [:])
        let decision = ledger.stop()
        writes.append(RaidStatements.update(raid, to: ledger, parties: raid.parties, waitingFor: [], at: now))
        writes += RaidStatements.insert([decision], of: id)
        audit(
            AuditChange(
                .raidStop,
                of: "raid/\(id)",
                before: ["state": raid.state.rawValue, "healthLeft": "\(raid.healthLeft)"],
                after: ["state": Raid.State.stopped.rawValue],
                by: author
            )
        )
        return (raid.stopped(by: decision, at: now), true)
    }

    /// Returns how a party may join a raid.
    /// - Parameters:
    ///   - id: the raid.
    ///   - found: the raid as its home knows it, with the first round of this shard; nil if this shard takes part.
    ///   - party: the party, whose earlier adventure is closed.
    /// - Returns: the opening of the fight, or why there is none.
    /// - Throws: `PostgresError`; ``StoreError``.
    package mutating func admission(
        to id: RaidID,
        found: (raid: Raid, firstRound: Int?)?,
        of party: PartyID
    ) async throws -> RaidAdmission {
        let member: RaidMember
        if let found {
            guard let firstRound = found.firstRound else {
                return found.raid.state == .scheduled ? .notStarted : .over
            }
            member = try await takePart(in: found.raid, from: firstRound)
        } else {
            guard let known = try await raidMember(id) else { return .over }
            member = known
        }
        guard !member.isOver, !member.hasEnded, now < member.schedule.endsAt else { return .over }
        let rows = try await connection.query(
            PostgresQuery(RaidMemberStatements.dealtBefore, shard.column, id, party)
        )
        // A fight that this transaction closes is not among the rows.
        let closed = ends.filter { $0.partyID == party && $0.adventure.raid?.raidID == id }
        let dealt = Int(try rows[0].decode(Int64.self)) + closed.reduce(0) { $0 + ($1.raidDamage ?? 0) }
        return .open(
            RaidOpening(
                raidID: id,
                boss: member.boss,
                maximumHealth: member.health,
                healthLeft: member.decision?.healthLeft ?? member.health,
                phase: member.decision?.phase ?? 1,
                decision: member.delivered,
                dealtBefore: dealt,
                countsFrom: member.schedule.start(ofRound: member.firstRound)
            )
        )
    }
}

extension Raid {
    /// Returns the raid after the decision that stopped it.
    fileprivate func stopped(by decision: RaidDecision, at moment: Timestamp) -> Self {
        Self(
            id: id,
            boss: boss,
            regions: regions,
            schedule: schedule,
            health: health,
            dealt: dealt,
            phase: phase,
            round: round,
            parties: parties,
            biggestBlow: biggestBlow,
            decision: decision,
            state: .stopped,
            endedAt: moment
        )
    }
}
