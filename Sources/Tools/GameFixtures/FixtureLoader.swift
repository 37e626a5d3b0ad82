package import Encodings
package import GameCore
import GameStore
package import PostgresClient

/// Fills a migrated database with parties by COPY, for measurements that start with many running adventures.
///
/// Only rows that the engine and the dispatcher read are stored: the log gets no entries for the ticks that were played
/// before.
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
    ///   - now: the creation time of parties and members.
    ///   - journeysTickedUntil: the time up to which every journey's due tick counts as played; nil keeps the shard's.
    /// - Throws: `PostgresError`; no rows are stored then.
    package func load(
        _ parties: [FixtureParty],
        in shard: Shard,
        at now: Timestamp,
        journeysTickedUntil: Timestamp? = nil
    ) async throws {
        var rows = FixtureRows()
        for party in parties { rows.append(party, in: shard, at: now) }
        let journeys = parties.count { $0.adventure.phase != nil }
        try await pool.withTransaction { [rows] connection in
            _ = try await connection.query(PostgresQuery(FixtureStatements.lockShard, shard.column))
            try await rows.copy(to: connection)
            _ = try await connection.query(
                PostgresQuery(
                    FixtureStatements.updateShard,
                    shard.column,
                    Int32(journeys),
                    journeysTickedUntil?.postgres
                )
            )
        }
    }
}

/// The rows of parties, collected table by table.
private struct FixtureRows: Sendable {
    private static let name = "The Rangers"
    private static let displayName = "Ranger"

    private var parties = PostgresCopyRows()
    private var members = PostgresCopyRows()
    private var adventures = PostgresCopyRows()
    private var turns = PostgresCopyRows()
    private var activities = PostgresCopyRows()
    private var decisions = PostgresCopyRows()

    mutating func append(_ party: FixtureParty, in shard: Shard, at now: Timestamp) {
        precondition(party.id.shard == shard, "party \(party.id) belongs to another shard than \(shard.rawValue)")
        let stored = party.adventure
        let heroes = stored.adventure.heroes
        parties.append(
            shard.column,
            party.id,
            Self.name,
            InviteCode(rawValue: ""),
            heroes[0].playerID,
            Int16(Party.maxCapacity),
            stored.id,
            Int64(1),
            now.postgres
        )
        for hero in heroes {
            members.append(
                shard.column,
                party.id,
                hero.playerID,
                Self.displayName,
                hero.id,
                Int32(hero.experience),
                now.postgres
            )
        }
        adventures.append(
            shard.column,
            stored.id,
            party.id,
            stored.adventure.kind,
            true,
            stored.phase.map(Int16.init),
            Int32(stored.adventure.tick),
            Int32(stored.adventure.sequence),
            stored.adventure.encoded,
            party.opening.encoded,
            stored.startedAt.postgres
        )
        if let due = stored.turnDueAt { turns.append(shard.column, stored.id, due.postgres) }
        for activity in party.activities {
            append(activity, in: shard)
            if let records = party.decisions {
                decisions.append(shard.column, activity.adventureID, activity.id, records)
            }
        }
    }

    private mutating func append(_ activity: Activity, in shard: Shard) {
        activities.append(
            shard.column,
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
            activity.acknowledgedPosition
        )
    }

    /// Copies all rows, referenced tables before the tables that refer to them.
    func copy(to connection: PostgresConnection) async throws {
        for (statement, rows) in [
            (FixtureStatements.parties, parties), (FixtureStatements.members, members),
            (FixtureStatements.adventures, adventures), (FixtureStatements.turns, turns),
            (FixtureStatements.activities, activities), (FixtureStatements.decisions, decisions),
        ] where rows.count > 0 {
            try await connection.copyIn(statement, rows)
        }
    }
}

enum FixtureStatements {
    /// A statement that locks the shard's row by its primary key, as every transaction that changes the shard does.
    static let lockShard = Statement("fixture.lockShard", "SELECT head FROM shards WHERE shard = $1 FOR UPDATE")

    /// A statement that counts the new journeys, and sets the next turn's deadline from the index on deadlines.
    static let updateShard = Statement(
        "fixture.updateShard",
        """
        UPDATE shards
        SET journeys = journeys + $2,
            journeys_ticked_until = coalesce($3, journeys_ticked_until),
            next_turn_at = (SELECT min(due_at) FROM boss_turns WHERE shard = $1)
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
        COPY adventures
            (shard, adventure_id, party_id, kind, live, phase, tick, sequence, state, opening, started_at)
        FROM STDIN (FORMAT binary)
        """
    )

    static let turns = Statement(
        "fixture.turns",
        "COPY boss_turns (shard, adventure_id, due_at) FROM STDIN (FORMAT binary)"
    )

    static let activities = Statement(
        "fixture.activities",
        """
        COPY activities
            (shard, adventure_id, activity_id, player_id, push_token, environment, frequent_pushes, locale,
             generation, state, registered_at, token_registered_at, settled_position)
        FROM STDIN (FORMAT binary)
        """
    )

    static let decisions = Statement(
        "fixture.decisions",
        """
        COPY activity_decisions (shard, adventure_id, activity_id, decisions)
        FROM STDIN (FORMAT binary)
        """
    )
}

extension Timestamp {
    fileprivate var postgres: PostgresTimestamp { PostgresTimestamp(microseconds: microseconds) }
}

extension Shard {
    fileprivate var column: Int16 { Int16(rawValue) }
}
