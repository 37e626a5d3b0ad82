import Encodings
import GameCore
import GameLog
import PostgresClient

/// The statements of raids in their homes.
enum RaidStatements {
    /// Returns the columns of a raid, and the time of the database, or that of a parameter if it is not null.
    private static func columns(at now: String) -> String {
        """
        raid_id, boss, health, regions, starts_at, ends_at, dealt, phase, next_round, parties, biggest_blow, decision,
            waiting_for, outcome, ended_at, coalesce(\(now)::timestamptz, clock_timestamp())
        """
    }

    static let insert = Statement(
        "raid.insert",
        """
        INSERT INTO raids (shard, raid_id, boss, health, regions, starts_at, ends_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """
    )

    /// Reads a raid by primary key.
    static let read = Statement(
        "raid.read",
        "SELECT \(columns(at: "$3")) FROM raids WHERE shard = $1 AND raid_id = $2"
    )

    /// Locks a raid by primary key.
    static let lock = Statement(
        "raid.lock",
        "SELECT \(columns(at: "$3")) FROM raids WHERE shard = $1 AND raid_id = $2 FOR UPDATE"
    )

    /// Locks a raid by primary key, unless another transaction holds it.
    static let lockIfFree = Statement(
        "raid.lockIfFree",
        "SELECT \(columns(at: "$3")) FROM raids WHERE shard = $1 AND raid_id = $2 FOR UPDATE SKIP LOCKED"
    )

    /// Reads the newest `$2` raids, along the index on starts.
    static let list = Statement(
        "raid.list",
        """
        SELECT \(columns(at: "$1"))
        FROM raids
        ORDER BY starts_at DESC, shard DESC, raid_id DESC
        LIMIT $2
        """
    )

    /// Reads the newest `$2` raids that have not ended, along an index that has only those.
    static let current = Statement(
        "raid.current",
        """
        SELECT \(columns(at: "$1"))
        FROM raids
        WHERE outcome IS NULL
        ORDER BY starts_at DESC, shard DESC, raid_id DESC
        LIMIT $2
        """
    )

    /// Reads the raids with work left, from an index that has only those.
    static let open = Statement(
        "raid.open",
        "SELECT \(columns(at: "$2")) FROM raids WHERE shard = ANY ($1) AND NOT is_settled ORDER BY shard, raid_id"
    )

    /// Updates a raid by primary key.
    static let update = Statement(
        "raid.update",
        """
        UPDATE raids
        SET dealt = $3, phase = $4, next_round = $5, parties = $6, biggest_blow = $7, decision = $8, waiting_for = $9,
            outcome = $10, ended_at = $11
        WHERE shard = $1 AND raid_id = $2
        """
    )

    /// Marks a raid as settled, by primary key.
    static let settle = Statement(
        "raid.settle",
        "UPDATE raids SET is_settled = true WHERE shard = $1 AND raid_id = $2 AND outcome IS NOT NULL"
    )

    /// Reads the members of a raid along the primary key.
    static let members = Statement(
        "raid.members",
        "SELECT member, first_round FROM raid_members WHERE shard = $1 AND raid_id = $2"
    )

    static let insertMember = Statement(
        "raid.insertMember",
        """
        INSERT INTO raid_members (shard, raid_id, member, first_round) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard, raid_id, member) DO NOTHING
        """
    )

    static let insertDecisions = Statement(
        "raid.insertDecisions",
        """
        INSERT INTO raid_decisions (shard, raid_id, number, decision)
        SELECT s.shard, $2, u.number, u.decision
        FROM shards AS s, unnest($3::integer[], $4::text[]) AS u (number, decision)
        WHERE s.shard = $1
        """
    )

    /// Reads the decisions after a number, along the primary key.
    static let decisions = Statement(
        "raid.decisions",
        "SELECT decision FROM raid_decisions WHERE shard = $1 AND raid_id = $2 AND number > $3 ORDER BY number"
    )

    static let insertHistory = Statement(
        "raid.insertHistory",
        """
        INSERT INTO raid_history (shard, raid_id, round, damage, parties, health_left, phase, biggest_blow)
        SELECT s.shard, $2, u.round, u.damage, u.parties, u.health_left, u.phase, u.biggest_blow
        FROM shards AS s,
            unnest($3::integer[], $4::bigint[], $5::integer[], $6::bigint[], $7::integer[], $8::text[])
                AS u (round, damage, parties, health_left, phase, biggest_blow)
        WHERE s.shard = $1
        """
    )

    /// Reads at most `$4` rounds after one, along the primary key.
    static let history = Statement(
        "raid.history",
        """
        SELECT round, damage, parties, health_left, phase, biggest_blow
        FROM raid_history
        WHERE shard = $1 AND raid_id = $2 AND round > $3
        ORDER BY round
        LIMIT $4
        """
    )

    /// Decodes a row of ``columns``, and the time of the query.
    static func decode(_ row: PostgresRow) throws -> (Raid, now: Timestamp) {
        let (
            id, boss, health, regions, startsAt, endsAt, dealt, phase, nextRound, parties, biggestBlow, decision,
            waitingFor, outcome, endedAt, databaseTime
        ) = try row.decode(
            RaidID.self,
            BossID.self,
            Int64.self,
            [String].self,
            PostgresTimestamp.self,
            PostgresTimestamp.self,
            Int64.self,
            Int32.self,
            Int32.self,
            Int32.self,
            String?.self,
            String?.self,
            [Int16].self,
            String?.self,
            PostgresTimestamp?.self,
            PostgresTimestamp.self
        )
        let (schedule, now) = (
            RaidSchedule(startsAt: Timestamp(startsAt), endsAt: Timestamp(endsAt)), Timestamp(databaseTime)
        )
        let raid = Raid(
            id: id,
            boss: boss,
            regions: regions.map { RegionID(rawValue: $0) },
            schedule: schedule,
            health: Int(health),
            dealt: Int(dealt),
            phase: Int(phase),
            round: Int(nextRound),
            parties: Int(parties),
            biggestBlow: try blow(biggestBlow, of: id),
            decision: try self.decision(decision, of: id),
            waitingFor: waitingFor.map { Shard(rawValue: UInt8(truncatingIfNeeded: $0)) },
            state: outcome.flatMap { Raid.State(rawValue: $0) } ?? (now < schedule.startsAt ? .scheduled : .running),
            endedAt: endedAt.map { Timestamp($0) }
        )
        return (raid, now)
    }

    static func decision(_ text: String?, of id: RaidID) throws(StoreError) -> RaidDecision? {
        guard let text else { return nil }
        do { return try RaidDecision(encoded: text) } catch {
            throw .undecodable(table: "raids", id: id.description, reason: error.reason)
        }
    }

    static func blow(_ text: String?, of id: RaidID) throws(StoreError) -> RaidBlow? {
        guard let text else { return nil }
        do { return try RaidBlow(encoded: text) } catch {
            throw .undecodable(table: "raids", id: id.description, reason: error.reason)
        }
    }

    /// Returns the statement that stores a raid as its home has played it.
    /// - Parameters:
    ///   - raid: the raid as it was read.
    ///   - ledger: its sums.
    ///   - parties: the fights of the newest round.
    ///   - waitingFor: the members whose rows are missing for long.
    ///   - now: the moment of the change.
    /// - Returns: the query.
    static func update(
        _ raid: Raid,
        to ledger: RaidLedger,
        parties: Int,
        waitingFor: [Shard],
        at now: Timestamp
    ) -> PostgresQuery {
        let end = ledger.decision.flatMap { decision in
            decision.outcome.map { (outcome: Raid.State($0).rawValue, at: decision.endOfRaid(decidedAt: now).postgres) }
        }
        return PostgresQuery(
            update,
            raid.id.shard.column,
            raid.id,
            Int64(ledger.dealt),
            Int32(ledger.phase),
            Int32(ledger.nextRound),
            Int32(clamping: parties),
            ledger.biggestBlow?.encoded,
            ledger.decision?.encoded,
            waitingFor.map(\.column),
            end?.outcome,
            end?.at
        )
    }

    /// Returns the statement that stores decisions; none without decisions.
    static func insert(_ decisions: [RaidDecision], of id: RaidID) -> [PostgresQuery] {
        guard !decisions.isEmpty else { return [] }
        return [
            PostgresQuery(
                insertDecisions,
                id.shard.column,
                id,
                decisions.map { Int32(clamping: $0.number) },
                decisions.map(\.encoded)
            )
        ]
    }

    /// Returns the statement that stores sums of rounds; none without rounds.
    static func insert(_ totals: [RaidLedger.Total], of id: RaidID) -> [PostgresQuery] {
        guard !totals.isEmpty else { return [] }
        return [
            PostgresQuery(
                insertHistory,
                id.shard.column,
                id,
                totals.map { Int32(clamping: $0.round) },
                totals.map { Int64($0.damage) },
                totals.map { Int32(clamping: $0.parties) },
                totals.map { Int64($0.healthLeft) },
                totals.map { Int32(clamping: $0.phase) },
                totals.map { $0.biggestBlow?.encoded }
            )
        ]
    }
}

extension RaidDecision {
    /// When the raid ended: at its finishing blow, with its last round, or when it was stopped.
    func endOfRaid(decidedAt now: Timestamp) -> Timestamp {
        switch outcome {
        case .defeated(let blow): blow.at
        case .escaped, nil: roundEnd
        case .stopped: now
        }
    }
}
