package import Encodings
package import GameCore
import GameLog
import GameStore
package import PostgresClient

/// Fills a migrated database with parties by COPY, for measurements that start with many running adventures.
///
/// The log gets no entries.
package struct FixtureLoader: Sendable {
    private let pool: PostgresPool

    /// Creates a loader for the database of a pool.
    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Stores parties of one shard in one transaction, under the lock of the shard's row.
    /// - Parameters:
    ///   - parties: parties of this shard that are not stored yet.
    ///   - shard: the shard.
    ///   - now: the creation time of parties and members, and the shard's new clock unless that is later already. With
    ///     the database's clock, the time from then until the clock is moved counts as an outage, so nothing is due.
    /// - Throws: `PostgresError`; no rows are stored then.
    package func load(_ parties: [FixtureParty], in shard: Shard, at now: Timestamp) async throws {
        let fights = parties.count { $0.opening.adventure.kind == .bossFight }
        let raids = parties.count { $0.opening.adventure.kind == .raid }
        let requires = parties.map(\.opening.adventure.rules.rawValue).max() ?? 0
        try await pool.withTransaction { connection in
            let locked = try await connection.query(PostgresQuery(FixtureStatements.lockShard, Int16(shard.rawValue)))
            let stoppedFor = try locked.first?.decode(Int64.self) ?? 0
            var rows = FixtureRows()
            for party in parties { rows.append(party, in: shard, at: now, stoppedFor: .microseconds(stoppedFor)) }
            try await rows.copy(to: connection)
            _ = try await connection.query(
                PostgresQuery(
                    FixtureStatements.updateShard,
                    Int16(shard.rawValue),
                    Int32(parties.count - fights - raids),
                    Int32(fights),
                    Int16(requires),
                    now.postgres,
                    Int32(raids)
                )
            )
        }
    }
}

/// The rows of parties, collected table by table.
private struct FixtureRows {
    private static let name = "The Rangers"
    private static let displayName = "Ranger"

    private var parties = PostgresCopyRows()
    private var members = PostgresCopyRows()
    private var adventures = PostgresCopyRows()
    private var activities = PostgresCopyRows()
    private var decisions = PostgresCopyRows()

    mutating func append(_ party: FixtureParty, in shard: Shard, at now: Timestamp, stoppedFor: Duration) {
        precondition(
            party.id.shard == shard && party.adventureID.shard == shard,
            "party \(party.id) belongs to another shard than \(shard.rawValue)"
        )
        let (column, opening) = (Int16(shard.rawValue), party.opening.adventure)
        parties.append(
            column,
            party.id,
            Self.name,
            InviteCode(rawValue: ""),
            opening.heroes[0].playerID,
            Int16(Party.maxCapacity),
            party.adventureID,
            Int64(1),
            now.postgres
        )
        for hero in opening.heroes {
            members.append(
                column,
                party.id,
                hero.playerID,
                Self.displayName,
                hero.id,
                Int32(hero.experience),
                now.postgres
            )
        }
        adventures.append(
            column,
            party.adventureID,
            party.id,
            opening.kind,
            party.opening.encoded,
            party.startedAt.postgres,
            party.interval.wholeMicroseconds,
            (party.endsAt - stoppedFor).postgres,
            opening.raid?.raidID
        )
        for activity in party.activities {
            append(activity, in: column)
            if let records = party.decisions {
                decisions.append(column, activity.adventureID, activity.id, records)
            }
        }
    }

    private mutating func append(_ activity: Activity, in shard: Int16) {
        activities.append(
            shard,
            activity.adventureID,
            activity.id,
            activity.playerID,
            activity.pushToken,
            activity.environment,
            activity.frequentPushesEnabled,
            activity.locale,
            Int32(activity.generation),
            activity.state,
            activity.registeredAt.postgres,
            activity.tokenRegisteredAt.postgres,
            activity.acknowledgedAt.postgres,
            activity.deviceID
        )
    }

    /// Copies all rows, referenced tables before the tables that refer to them.
    func copy(to connection: PostgresConnection) async throws {
        for (statement, rows) in [
            (FixtureStatements.parties, parties), (FixtureStatements.members, members),
            (FixtureStatements.adventures, adventures), (FixtureStatements.activities, activities),
            (FixtureStatements.decisions, decisions),
        ] where rows.count > 0 {
            try await connection.copyIn(statement, rows)
        }
    }
}

enum FixtureStatements {
    /// A statement that locks the shard's row by its primary key, as every transaction that changes the shard does.
    static let lockShard = Statement("fixture.lockShard", "SELECT stopped_for FROM shards WHERE shard = $1 FOR UPDATE")

    /// A statement that counts the new adventures and moves the clock, by primary key.
    static let updateShard = Statement(
        "fixture.updateShard",
        """
        UPDATE shards
        SET journeys = journeys + $2, boss_fights = boss_fights + $3, requires = greatest(requires, $4),
            clock = greatest(clock, $5), due_after = 0,
            raids = raids + $6
        WHERE shard = $1
        """
    )

    static let parties = Statement(
        "fixture.parties",
        """
        COPY parties (shard, party_id, name, invite_code, leader_id, capacity, adventure_id, version, created_at)
        FROM STDIN (FORMAT binary)
        """
    )

    static let members = Statement(
        "fixture.members",
        """
        COPY members (shard, party_id, player_id, display_name, hero, experience, joined_at)
        FROM STDIN (FORMAT binary)
        """
    )

    static let adventures = Statement(
        "fixture.adventures",
        """
        COPY adventures (shard, adventure_id, party_id, kind, opening, started_at, tick_interval, ends_at, raid_id)
        FROM STDIN (FORMAT binary)
        """
    )

    static let activities = Statement(
        "fixture.activities",
        """
        COPY activities
            (shard, adventure_id, activity_id, player_id, push_token, environment, frequent_pushes, locale,
             generation, state, registered_at, token_registered_at, acknowledged_at, device_id)
        FROM STDIN (FORMAT binary)
        """
    )

    static let decisions = Statement(
        "fixture.decisions",
        """
        COPY activity_decisions (shard, adventure_id, activity_id, records)
        FROM STDIN (FORMAT binary)
        """
    )
}

extension Timestamp {
    fileprivate var postgres: PostgresTimestamp { PostgresTimestamp(microseconds: microseconds) }
}
