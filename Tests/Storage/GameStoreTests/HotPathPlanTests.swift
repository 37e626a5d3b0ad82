import Encodings
import GameCore
import GameFixtures
import PostgresClient
import TestSupport
import Testing

@testable import GameStore

/// The generic plans of the statements that every tick and every push uses.
@Suite struct HotPathPlanTests {
    private static let shards = 4
    private static let partiesPerShard = 500
    private static let activitiesPerParty = 4

    /// The statements that look up rows, with their parameter types.
    private static let finding: [(statement: Statement, types: String)] = [
        (ShardStatements.lockIfFree, "smallint"),
        (AdventureStatements.journeys, "smallint, smallint[]"),
        (AdventureStatements.dueFights, "smallint, timestamptz, bigint"),
        (AdventureStatements.read, "smallint, uuid[]"),
        (AdventureStatements.advance, "smallint, uuid[], text[], integer[], integer[]"),
        (AdventureStatements.removeTurns, "smallint, uuid[]"),
        (ShardStatements.move, "smallint, bigint, integer, timestamptz"),
        (LogStatements.tail, "smallint, bigint, bigint"),
        (ActivityStatements.live, "smallint"),
        (ActivityStatements.read, "smallint, uuid, uuid[]"),
        (LeaseStatements.flushActivities, "smallint, uuid[], uuid[], integer[], bigint[], bigint[], text[]"),
        (LeaseStatements.checkpoint, "smallint, bigint, uuid, bigint, bigint"),
        (LeaseStatements.renew, "smallint, bigint, uuid, bigint"),
        (LeaseStatements.acquire, "smallint, uuid, bigint"),
        (LeaseStatements.release, "smallint, bigint, uuid"),
    ]

    /// The statements that only insert or upsert rows, with their parameter types.
    private static let writing: [(statement: Statement, types: String)] = [
        (AdventureStatements.setTurns, "smallint, uuid[], timestamptz[]"),
        (LogStatements.append, "smallint, bigint[], uuid[], integer[], integer[], text[], timestamptz[], jsonb[]"),
        (DecisionStatements.upsert, "smallint, uuid[], uuid[], bytea[]"),
    ]

    @Test func `hot statements use an index that begins with the shard, and no nested comparison of rows`() async throws
    {
        try await withStore { store, pool in
            try await Self.fill(store, pool)
            try await pool.withConnection { connection in
                try await connection.script(
                    """
                    INSERT INTO player_tokens (token_hash, player_id, created_at)
                    SELECT sha256(int4send(n)), gen_random_uuid(), now() FROM generate_series(1, 1000) AS n;
                    ANALYZE;
                    SET plan_cache_mode = force_generic_plan
                    """
                )
                for (statement, types) in Self.finding {
                    let plan = try await Self.plan(of: statement, types, on: connection)
                    let scans = Self.tableScans(in: plan)
                    #expect(!scans.isEmpty, "\(statement.name): \(plan)")
                    for scan in scans {
                        #expect(scan.contains(#/Index Cond: .*\bshard = \$1\)/#), "\(statement.name): \(plan)")
                    }
                    // A join filter compares each row of one side with each row of the other.
                    #expect(!plan.contains("Join Filter"), "\(statement.name): \(plan)")
                }
                for (statement, types) in Self.writing {
                    let plan = try await Self.plan(of: statement, types, on: connection)
                    #expect(Self.tableScans(in: plan).isEmpty, "\(statement.name): \(plan)")
                    #expect(!plan.contains("Join"), "\(statement.name): \(plan)")
                }
                // A token does not name a shard.
                let plan = try await Self.plan(of: PlayerStatements.findToken, "bytea", on: connection)
                let scans = Self.tableScans(in: plan)
                #expect(scans.count == 1 && scans[0].contains("Index Cond: (token_hash = $1)"), "\(plan)")
            }
        }
    }

    /// Returns the nodes of a plan that scan a table, with their conditions.
    ///
    /// Bitmap heap scans are omitted, since their bitmap index scans are included; function scans read no table.
    private static func tableScans(in plan: String) -> [Substring] {
        plan.split(separator: #/\n *->  /#).filter { node in
            node.prefix { $0 != "(" }.contains(#/\b(Index|Seq|Tid|Tid Range|Sample|Foreign) (Only )?Scan\b/#)
        }
    }

    private static func plan(
        of statement: Statement,
        _ types: String,
        on connection: PostgresConnection
    ) async throws -> String {
        let name = "hot_\(statement.name.replacing(".", with: "_"))"
        let values = types.split(separator: ",").map { _ in "NULL" }.joined(separator: ", ")
        try await connection.script("PREPARE \(name) (\(types)) AS \(statement.sql)")
        let rows = try await connection.query(
            PostgresQuery(Statement("explain.\(statement.name)", "EXPLAIN EXECUTE \(name) (\(values))"))
        )
        return try rows.map { try $0.decode(String.self) }.joined(separator: "\n")
    }

    /// Stores parties on journeys and in boss fights, alternately, each with activities.
    private static func fill(_ store: GameStore, _ pool: PostgresPool) async throws {
        var generator = SeededGenerator(seed: 1)
        let player = PlayerID(at: noon, using: &generator)
        let heroes = [Hero(playerID: player, id: "spouty", level: 1, potions: 2)]
        let openings: [Adventure] = [
            .journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: 1),
            .bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: 1),
        ]
        for number in 0..<shards {
            let shard = Shard(rawValue: UInt8(number))
            let parties = try (0..<partiesPerShard).map { index in
                let party = PartyID(at: noon, in: shard, using: &generator)
                let isJourney = index.isMultiple(of: 2)
                var stored = StoredAdventure(
                    id: AdventureID(at: noon, in: shard, using: &generator),
                    partyID: party,
                    adventure: openings[index % 2],
                    startedAt: noon,
                    phase: isJourney ? index % 100 : nil
                )
                _ = try stored.adventure.advance(.start)
                if !isJourney { stored.turnDueAt = noon + .milliseconds(index) }
                let activities = (0..<activitiesPerParty).map { _ in
                    Activity(
                        id: ActivityID(at: noon, using: &generator),
                        adventureID: stored.id,
                        playerID: player,
                        pushToken: [UInt8](repeating: 1, count: 32),
                        environment: .simulator,
                        frequentPushesEnabled: true,
                        locale: nil,
                        registeredAt: noon
                    )
                }
                return FixtureParty(id: party, adventure: stored, opening: openings[index % 2], activities: activities)
            }
            try await FixtureLoader(pool: pool).load(parties, in: shard, at: noon, journeysTickedUntil: noon)
            try await store.withShard(shard, at: noon) { [parties] transaction in
                for party in parties {
                    try transaction.append(
                        [.adventureStarted(kind: party.adventure.adventure.kind)],
                        of: party.adventure
                    )
                }
            }
        }
    }

    @Test func `loaded fixtures are played like other adventures`() async throws {
        try await withStore { store, pool in
            try await Self.fill(store, pool)
            let due = try await store.shardsDue(at: noon + .seconds(60), slotMicroseconds: 100_000)
            #expect(due.count == Self.shards)
            let journeys = try await store.withShard(due[0], at: noon) { transaction in
                #expect(transaction.journeys == Self.partiesPerShard / 2)
                #expect(transaction.journeysTickedUntil == noon)
                return try await transaction.journeys(onPhases: Array(0..<100)).map { try $0.get() }
            }
            #expect(journeys.count == Self.partiesPerShard / 2)
            let party = try await store.withShard(due[0], at: noon) { try await $0.party(journeys[0].partyID) }
            #expect(party?.adventureID == journeys[0].id && party?.members.count == 1)
            #expect(try await store.liveActivities(of: due[0]).count == Self.partiesPerShard * Self.activitiesPerParty)
            #expect(try await store.record(of: journeys[0].id)?.opening.status == .ready)
        }
    }
}
