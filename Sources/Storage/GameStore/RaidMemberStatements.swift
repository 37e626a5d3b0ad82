import Encodings
import GameCore
import GameLog
import PostgresClient

/// The statements of raids in their members.
enum RaidMemberStatements {
    private static let columns =
        "raid_id, boss, health, starts_at, ends_at, first_round, next_round, delivered, decision, blows_from, standings_at"

    /// Reads a raid in a member by primary key.
    static let read = Statement(
        "raidMember.read",
        "SELECT \(columns), is_over FROM raid_shards WHERE shard = $1 AND raid_id = $2"
    )

    /// Reads the raids of a member that are not over, along an index that has only those.
    static let list = Statement(
        "raidMember.list",
        "SELECT \(columns), is_over FROM raid_shards WHERE shard = $1 AND NOT is_over ORDER BY raid_id"
    )

    /// Reads how far members are in a raid, by primary key.
    static let progress = Statement(
        "raidMember.progress",
        "SELECT shard, delivered, blows_from FROM raid_shards WHERE shard = ANY ($1) AND raid_id = $2"
    )

    static let insert = Statement(
        "raidMember.insert",
        """
        INSERT INTO raid_shards
            (shard, raid_id, boss, health, starts_at, ends_at, first_round, next_round, delivered, decision)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9)
        """
    )

    /// Records how far a member is in a raid, by primary key.
    static let update = Statement(
        "raidMember.update",
        """
        UPDATE raid_shards
        SET next_round = $3, delivered = $4, decision = $5, blows_from = $6, standings_at = $7, is_over = $8
        WHERE shard = $1 AND raid_id = $2
        """
    )

    /// Writes rounds of a member, which may have been written without their blows.
    static let writeRounds = Statement(
        "raidMember.writeRounds",
        """
        INSERT INTO raid_rounds (shard, raid_id, round, damage, fights, biggest_blow, blows)
        SELECT s.shard, $2, u.round, u.damage, u.fights, u.biggest_blow, u.blows
        FROM shards AS s,
            unnest($3::integer[], $4::bigint[], $5::integer[], $6::text[], $7::text[])
                AS u (round, damage, fights, biggest_blow, blows)
        WHERE s.shard = $1
        ON CONFLICT (shard, raid_id, round) DO UPDATE
        SET damage = excluded.damage, fights = excluded.fights, biggest_blow = excluded.biggest_blow,
            blows = excluded.blows
        """
    )

    /// Reads rounds of members along the primary key, without their blows.
    static let rounds = Statement(
        "raidMember.rounds",
        """
        SELECT shard, round, damage, fights, biggest_blow
        FROM raid_rounds
        WHERE shard = ANY ($1) AND raid_id = $2 AND round >= $3 AND round < $4
        """
    )

    /// Reads the blows that members have listed in a round, by primary key.
    static let blows = Statement(
        "raidMember.blows",
        """
        SELECT shard, blows
        FROM raid_rounds
        WHERE shard = ANY ($1) AND raid_id = $2 AND round = $3 AND blows IS NOT NULL
        """
    )

    /// Deletes the rounds of a member before one, along the primary key.
    static let removeRounds = Statement(
        "raidMember.removeRounds",
        "DELETE FROM raid_rounds WHERE shard = $1 AND raid_id = $2 AND round < $3"
    )

    /// Reads the fights in a raid that are live, or that ended at a moment or later, along the index on raids.
    ///
    /// The decisions about the raid are not among their inputs, since all fights share them.
    static let fights = Statement(
        "raidMember.fights",
        """
        SELECT \(AdventureStatements.columns)
        \(AdventureStatements.sources(from: "0"))
        WHERE a.shard = $1 AND a.raid_id = $2 AND (a.ended_at IS NULL OR a.ended_at >= $3)
        ORDER BY a.adventure_id
        """
    )

    /// Reads those of some adventures that are raid fights, by primary key, as ``fights`` does.
    static let fightsAmong = Statement(
        "raidMember.fightsAmong",
        """
        SELECT \(AdventureStatements.columns)
        \(AdventureStatements.sources(from: "0"))
        WHERE a.shard = $1 AND a.adventure_id = ANY ($2) AND a.raid_id IS NOT NULL
        ORDER BY a.adventure_id
        """
    )

    /// Reads the decisions about a raid that the shard has taken, in order, along the index on decisions.
    static let taken = Statement(
        "raidMember.taken",
        """
        SELECT position, at, body
        FROM log
        WHERE shard = $1 AND kind = 'raid' AND at >= $2 AND starts_with(body, $3)
        ORDER BY position
        """
    )

    /// Sums the damage of each party's fights in a raid that ended before a moment, along the index on raids.
    static let dealt = Statement(
        "raidMember.dealt",
        """
        SELECT party_id, sum(raid_dealt)::bigint
        FROM adventures
        WHERE shard = $1 AND raid_id = $2 AND ended_at < $3 AND raid_dealt IS NOT NULL
        GROUP BY party_id
        """
    )

    /// Sums the damage of a party's ended fights in a raid, along the index on raids.
    static let dealtBefore = Statement(
        "raidMember.dealtBefore",
        """
        SELECT coalesce(sum(raid_dealt), 0)::bigint
        FROM adventures
        WHERE shard = $1 AND raid_id = $2 AND party_id = $3 AND ended_at IS NOT NULL
        """
    )

    static let writeStandings = Statement(
        "raidMember.writeStandings",
        """
        INSERT INTO raid_standings (shard, raid_id, dealt, parties) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard, raid_id) DO UPDATE SET dealt = excluded.dealt, parties = excluded.parties
        """
    )

    /// Reads the damages of all parties in each member's standings, and the last `$3` parties, those with the greatest damage,
    /// by primary key.
    static let standings = Statement(
        "raidMember.standings",
        """
        SELECT dealt, parties[cardinality(parties) - $3 + 1:]
        FROM raid_standings
        WHERE shard = ANY ($1) AND raid_id = $2
        """
    )

    /// Reads the damage of a party from the standings of its shard, by primary key; null if it has none.
    static let damage = Statement(
        "raidMember.damage",
        "SELECT dealt[array_position(parties, $3)] FROM raid_standings WHERE shard = $1 AND raid_id = $2"
    )

    static func taken(by shard: Shard, since moment: Timestamp, about id: RaidID) -> PostgresQuery {
        PostgresQuery(taken, shard.column, moment.postgres, id.description)
    }

    static func insert(_ member: RaidMember, in shard: Shard) -> PostgresQuery {
        PostgresQuery(
            insert,
            shard.column,
            member.id,
            member.boss,
            Int64(member.health),
            member.schedule.startsAt.postgres,
            member.schedule.endsAt.postgres,
            Int32(clamping: member.firstRound),
            Int32(clamping: member.delivered),
            member.decision?.encoded
        )
    }

    static func update(_ member: RaidMember, in shard: Shard) -> PostgresQuery {
        PostgresQuery(
            update,
            shard.column,
            member.id,
            Int32(clamping: member.nextRound),
            Int32(clamping: member.delivered),
            member.decision?.encoded,
            member.blowsFrom.map { Int32(clamping: $0) },
            member.standingsAt?.postgres,
            member.isOver
        )
    }

    static func write(_ rounds: [RaidRound], of id: RaidID, in shard: Shard) -> PostgresQuery {
        PostgresQuery(
            writeRounds,
            shard.column,
            id,
            rounds.map { Int32(clamping: $0.round) },
            rounds.map { Int64($0.damage) },
            rounds.map { Int32(clamping: $0.fights) },
            rounds.map { $0.biggestBlow?.encoded },
            rounds.map(\.encodedBlows)
        )
    }
}

/// A raid in a shard with parties that take part.
struct RaidMember: Sendable {
    let id: RaidID
    let boss: BossID
    let health: Int
    let schedule: RaidSchedule
    let firstRound: Int
    /// The rounds before it have their rows.
    var nextRound: Int
    /// The number of the newest decision that the shard has taken; zero before the first one.
    var delivered: Int
    var decision: RaidDecision?
    /// The home needs the blows of the rounds from this one on; nil if it does not.
    var blowsFrom: Int?
    var standingsAt: Timestamp?
    /// Whether all fights have ended and the last standings are written.
    var isOver = false

    /// Creates the row of a shard that begins to take part.
    init(of raid: Raid, from firstRound: Int) {
        id = raid.id
        boss = raid.boss
        health = raid.health
        schedule = raid.schedule
        self.firstRound = firstRound
        nextRound = firstRound
        delivered = raid.decision?.number ?? 0
        decision = raid.decision
    }

    init(_ row: PostgresRow) throws {
        let (
            id, boss, health, startsAt, endsAt, firstRound, nextRound, delivered, decision, blowsFrom, standingsAt,
            isOver
        ) = try row.decode(
            RaidID.self,
            BossID.self,
            Int64.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self,
            Int32.self,
            Int32.self,
            Int32.self,
            String?.self,
            Int32?.self,
            PostgresTimestamp?.self,
            Bool.self
        )
        self.id = id
        self.boss = boss
        self.health = Int(health)
        schedule = RaidSchedule(startsAt: Timestamp(startsAt), endsAt: Timestamp(endsAt))
        self.firstRound = Int(firstRound)
        self.nextRound = Int(nextRound)
        self.delivered = Int(delivered)
        self.decision = try RaidStatements.decision(decision, of: id)
        self.blowsFrom = blowsFrom.map { Int($0) }
        self.standingsAt = standingsAt.map { Timestamp($0) }
        self.isOver = isOver
    }

    /// When the raid has ended for the shard; nil before it has taken the last decision.
    var hasEnded: Bool { decision?.outcome != nil }

    /// When the next row is due; nil if none is.
    var dueAt: Timestamp? {
        guard !isOver, !hasEnded, nextRound <= schedule.lastRound else { return nil }
        return schedule.end(ofRound: nextRound)
    }
}
