package import Encodings
package import GameCore
import PostgresClient

/// A party with a running adventure and the phones that show it, to be stored as if it had come about by playing.
package struct StockedParty: Sendable {
    /// Its last byte is the shard.
    package let id: PartyID
    /// What runs.
    package let adventure: StoredAdventure
    /// The adventure before any input.
    let opening: Adventure
    let activities: [Activity]
    let decisions: [UInt8]?

    /// A party.
    /// - Parameters:
    ///   - id: its last byte is the shard.
    ///   - adventure: of the same shard, running; its heroes' players become the members, the first of them the leader.
    ///   - opening: the adventure before any input.
    ///   - activities: of the adventure.
    ///   - decisions: what was decided for each of them, encoded; nil for nothing.
    package init(
        id: PartyID,
        adventure: StoredAdventure,
        opening: Adventure,
        activities: [Activity] = [],
        decisions: [UInt8]? = nil
    ) {
        self.id = id
        self.adventure = adventure
        self.opening = opening
        self.activities = activities
        self.decisions = decisions
    }
}

extension ShardTransaction {
    /// Stores many parties at once, by COPY: what measurements begin with.
    ///
    /// Their past is not stored: the log has nothing of them.
    /// - Parameters:
    ///   - parties: all of this shard, and none of them stored before.
    ///   - moment: every journey's tick due until then counts as played.
    /// - Throws: `PostgresError`.
    package mutating func stock(_ parties: [StockedParty], journeysTickedUntil moment: Timestamp) async throws {
        var rows = StockRows()
        for party in parties { rows.append(party, in: shard, at: now) }
        try await rows.copy(to: connection)
        journeys += parties.count { $0.adventure.phase != nil }
        journeysTickedUntil = moment
    }
}

/// The rows of some parties, table by table.
private struct StockRows {
    private static let name = "The Rangers"
    private static let displayName = "Ranger"

    private var parties = PostgresCopyRows()
    private var members = PostgresCopyRows()
    private var adventures = PostgresCopyRows()
    private var turns = PostgresCopyRows()
    private var activities = PostgresCopyRows()
    private var decisions = PostgresCopyRows()

    mutating func append(_ party: StockedParty, in shard: Shard, at now: Timestamp) {
        precondition(party.id.shard == shard, "a party is stored under the lock of its own shard")
        let stored = party.adventure
        let heroes = stored.adventure.heroes
        parties.append(
            shard.column,
            party.id,
            Self.name,
            InviteCode(rawValue: ""),
            heroes[0].playerID,
            Int16(Party.largestCapacity),
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
            if let entries = party.decisions {
                decisions.append(shard.column, activity.adventureID, activity.id, entries)
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
            activity.settledPosition
        )
    }

    func copy(to connection: PostgresConnection) async throws {
        // In the order in which they refer to each other.
        for (statement, rows) in [
            (StockStatements.parties, parties), (StockStatements.members, members),
            (StockStatements.adventures, adventures), (StockStatements.turns, turns),
            (StockStatements.activities, activities), (StockStatements.decisions, decisions),
        ] where rows.count > 0 {
            try await connection.copyIn(statement, rows)
        }
    }
}

enum StockStatements {
    static let parties = Statement(
        "stock.parties",
        """
        COPY parties (shard, party_id, name, invite_code, leader_id, capacity, adventure_id, version, created_at)
        FROM STDIN (FORMAT binary)
        """
    )

    static let members = Statement(
        "stock.members",
        """
        COPY members (shard, party_id, player_id, display_name, hero, experience, joined_at)
        FROM STDIN (FORMAT binary)
        """
    )

    static let adventures = Statement(
        "stock.adventures",
        """
        COPY adventures
            (shard, adventure_id, party_id, kind, live, phase, tick, sequence, state, opening, started_at)
        FROM STDIN (FORMAT binary)
        """
    )

    static let turns = Statement(
        "stock.turns",
        "COPY boss_turns (shard, adventure_id, due_at) FROM STDIN (FORMAT binary)"
    )

    static let activities = Statement(
        "stock.activities",
        """
        COPY activities
            (shard, adventure_id, activity_id, player_id, push_token, environment, frequent_pushes, locale,
             generation, state, registered_at, token_registered_at, settled_position)
        FROM STDIN (FORMAT binary)
        """
    )

    static let decisions = Statement(
        "stock.decisions",
        """
        COPY activity_decisions (shard, adventure_id, activity_id, decisions)
        FROM STDIN (FORMAT binary)
        """
    )
}
