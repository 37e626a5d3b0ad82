import Encodings
import GameCore
import GameFixtures
import GameLog
import GameTestSupport
import PostgresClient
import PrivatePostgres
import TestSupport
import Testing

@testable import GameStore

/// The generic plans of the statements that every clock, every command and every push uses.
@Suite struct HotPathPlanTests {
    private static let shards = 12
    private static let partiesPerShard = 500
    private static let activitiesPerParty = 4

    /// The statements that look up rows, with their parameter types.
    private static let finding: [(statement: Statement, types: String)] = [
        (ShardStatements.lock, "smallint"),
        (ShardStatements.lockIfFree, "smallint"),
        (
            ShardStatements.move,
            "smallint, bigint, bigint, timestamptz, bigint, integer, integer, integer, timestamptz, smallint, boolean"
        ),
        (ShardStatements.tick, "smallint, timestamptz, timestamptz, timestamptz"),
        (AdventureStatements.dueEnds, "smallint, timestamptz, bigint"),
        (AdventureStatements.read, "smallint, uuid[], bigint"),
        (AdventureStatements.readSeveral, "smallint, uuid[]"),
        (AdventureStatements.reschedule, "smallint, uuid, timestamptz, text"),
        (FallbackStatements.mark, "smallint, uuid, timestamptz"),
        (FallbackStatements.marked, "smallint, timestamptz"),
        (AdventureStatements.correctEnd, "smallint, uuid, timestamptz, timestamptz"),
        (AdventureStatements.close, "smallint, uuid[], text[], bigint[], text[], timestamptz[], bigint[]"),
        (PartyStatements.read, "smallint, uuid"),
        (PartyStatements.readSeveral, "smallint, uuid[]"),
        (PartyStatements.update, "smallint, uuid[], text[], uuid[], uuid[], bigint[], timestamptz[]"),
        (PartyStatements.endAdventures, "smallint, uuid[], uuid[]"),
        (PartyStatements.setExperience, "smallint, uuid[], uuid[], integer[]"),
        (LogStatements.tail, "smallint, bigint, bigint"),
        (ActivityStatements.live, "smallint"),
        (ActivityStatements.read, "smallint, uuid, uuid[]"),
        (
            LeaseStatements.flushActivities,
            "smallint, uuid[], uuid[], integer[], bigint[], timestamptz[], bytea[], text[], timestamptz[]"
        ),
        (LeaseStatements.checkpoint, "smallint, bigint, uuid, bigint, timestamptz"),
        (LeaseStatements.acquire, "smallint, uuid, bigint, bigint"),
        (LeaseStatements.release, "smallint, bigint, uuid"),
    ]

    /// The statements that only insert or upsert rows of their parameters, with their parameter types.
    private static let writing: [(statement: Statement, types: String)] = [
        (LogStatements.append, "smallint, bigint[], timestamptz[], text[], uuid[], text[], bigint[]"),
        (DecisionStatements.upsert, "smallint, uuid[], uuid[], bytea[]"),
    ]

    @Test func `hot statements use an index that begins with the shard, and no nested comparison of rows`() async throws
    {
        try await withStore { store, pool in
            try await Self.fill(pool)
            try await pool.withConnection { connection in
                try await connection.script(
                    """
                    INSERT INTO player_tokens (token_hash, player_id, created_at)
                    SELECT sha256(int4send(n)), gen_random_uuid(), now() FROM generate_series(1, 1000) AS n;
                    INSERT INTO log
                    SELECT shard, row_number() OVER (PARTITION BY shard), now(), 'input', adventure_id, 'end', 1
                    FROM adventures, generate_series(1, 5);
                    INSERT INTO log
                    SELECT shard, 1000000 + n, now(), 'outage', NULL, '1', NULL FROM shards, generate_series(1, 5) AS n;
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
                    // The shard's row takes the rows to its machine.
                    for scan in Self.tableScans(in: plan) {
                        #expect(scan.contains("shards_pkey") && scan.contains("Index Cond: (shard = $1)"), "\(plan)")
                    }
                    #expect(!plan.contains("Join"), "\(statement.name): \(plan)")
                }
                // A token does not name a shard.
                let plan = try await Self.plan(of: PlayerStatements.findToken, "bytea,timestamptz", on: connection)
                let scans = Self.tableScans(in: plan)
                #expect(scans.count == 1 && scans[0].contains("Index Cond: (token_hash = $1)"), "\(plan)")
            }
        }
    }

    /// A shard with 200,000 stored responses, of which a thousand players have made 200 each.
    private static let responses = """
        INSERT INTO idempotency_keys
            (shard, player_id, key, request_hash, status, body, party_version, created_at, party_id)
            SELECT 7, md5('player' || n % 1000)::uuid, 'key ' || n, '', 200, '{"members": []}', 1, now(),
                md5('party' || n % 5000)::uuid
            FROM generate_series(1, 200000) AS n;
        ANALYZE;
        """

    @Test func `an erasure finds the responses that show a party by the party, and a player's by the player`()
        async throws
    {
        let uri = try await TestDatabases.make()
        try await withStore(at: uri) { _, pool in
            _ = try await PostgresShell.run(Self.responses, on: uri)
            try await pool.withConnection { connection in
                try await connection.script("SET plan_cache_mode = force_generic_plan")
                let redaction = try await Self.plan(
                    of: ErasureStatements.redactResponses,
                    "smallint, uuid, uuid, uuid, text, bigint",
                    on: connection
                )
                #expect(redaction.contains(#/using idempotency_keys_party_idx .*\n *Index Cond: .*party_id = \$3\)/#))
                #expect(
                    redaction.contains(#/Index Scan using idempotency_keys_pkey .*\n *Index Cond: .*key = p\.key\)/#)
                )
                #expect(!redaction.contains("Seq Scan"), "\(redaction)")
                let deletion = try await Self.plan(
                    of: try #require(ErasureStatements.ofShard.last),
                    "smallint, uuid, bigint",
                    on: connection
                )
                #expect(
                    deletion.contains(#/Index Cond: \(\(k?\.?shard = \$1\) AND \(k?\.?player_id = \$2\)/#),
                    "\(deletion)"
                )
                #expect(!deletion.contains("Seq Scan"), "\(deletion)")
            }
        }
    }

    @Test func `operators find players along the indexes on names and devices, without sorting names`() async throws {
        try await withStore { _, pool in
            try await pool.withConnection { connection in
                try await connection.script(
                    """
                    INSERT INTO players (shard, player_id, display_name, hero, created_at)
                    SELECT n % 256, (substr(md5(n::text), 1, 30) || lpad(to_hex(n % 256), 2, '0'))::uuid, md5(n::text),
                        'spouty', now()
                    FROM generate_series(1, 5000) AS n;
                    INSERT INTO devices
                        (shard, player_id, device_id, environment, live_activities_enabled, frequent_pushes, version,
                         started_at, started_adventures, started_parties, registered_at, updated_at)
                    SELECT shard, player_id, player_id, 'simulator', true, true, 1, '{}', '{}', '{}', now(), now() FROM players;
                    ANALYZE;
                    SET plan_cache_mode = force_generic_plan
                    """
                )
                let byName = try await Self.plan(of: PlayerListStatements.named, "text, text, bigint", on: connection)
                #expect(byName.contains(#/Index Scan using players_name_idx .*\n *Index Cond: /#), "\(byName)")
                #expect(!byName.contains("Sort") && !byName.contains("Filter"), "\(byName)")
                let byDevice = try await Self.plan(of: PlayerListStatements.withDevice, "uuid, bigint", on: connection)
                #expect(
                    byDevice.contains(#/using devices_device_idx .*\n *Index Cond: \(device_id = \$1\)/#),
                    "\(byDevice)"
                )
            }
        }
    }

    /// A shard with 100,000 live adventures, twice as many that have ended, half a million entries and some outages.
    private static let crowd = """
        SET session_replication_role = replica;
        CREATE FUNCTION test_id(kind text, number integer) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN
            (substr(md5(kind || number), 1, 30) || '07')::uuid;
        INSERT INTO adventures (shard, adventure_id, party_id, kind, opening, started_at, tick_interval, ends_at)
            SELECT 7, test_id('live', n), test_id('party', n), 'journey', repeat('o', 300), now(), 10000000,
                now() + (n - 1000) * interval '10 ms'
            FROM generate_series(1, 100000) AS n;
        INSERT INTO adventures
            (shard, adventure_id, party_id, kind, opening, started_at, tick_interval, ends_at, outcome, ended_at, raid_id)
            SELECT 7, test_id('ended', n), test_id('party', n), 'raid', repeat('o', 300), now() - interval '1 day', 10000000,
                now() - interval '1 day', 'completed', now() - interval '1 day', test_id('raid', 1)
            FROM generate_series(1, 200000) AS n;
        INSERT INTO log
            SELECT 7, n, now(), CASE WHEN n % 3 = 0 THEN 'started' ELSE 'input' END, test_id('live', n % 100000), 'end', 1
            FROM generate_series(1, 500000) AS n;
        INSERT INTO log SELECT 7, 500000 + n, now(), 'outage', NULL, '1', NULL FROM generate_series(1, 20) AS n;
        UPDATE leases SET checkpoint = 500000 WHERE shard = 7;
        UPDATE shards SET head = 500020, journeys = 100000, requires = 3 WHERE shard = 7;
        ANALYZE;
        """

    @Test func `in a crowded shard ends, adventures and old entries are found through their indexes`() async throws {
        let uri = try await TestDatabases.make()
        try await withStore(at: uri) { _, pool in
            // psql has no statement timeout: on a busy machine the script exceeds the client's.
            _ = try await PostgresShell.run(Self.crowd, on: uri)
            try await pool.withConnection { connection in
                try await connection.script("SET plan_cache_mode = force_generic_plan")
                let ends = try await Self.plan(
                    of: AdventureStatements.dueEnds,
                    "smallint, timestamptz, bigint",
                    on: connection
                )
                #expect(
                    ends.contains(
                        #/Index Scan using adventures_ends_idx on adventures a .*\n *Index Cond: .*shard = \$1\) AND \(ends_at <= /#
                    ),
                    "\(ends)"
                )
                let read = try await Self.plan(
                    of: AdventureStatements.read,
                    "smallint, uuid[], bigint",
                    on: connection
                )
                #expect(read.contains("Index Scan using adventures_pkey"), "\(read)")
                for plan in [ends, read] {
                    #expect(
                        plan.contains(#/log_input_idx on log .*\n *Index Cond: .*adventure_id = a.adventure_id/#),
                        "\(plan)"
                    )
                    #expect(plan.contains(#/log_outage_idx on log .*\n *Index Cond: .*at >= a.started_at/#), "\(plan)")
                    #expect(!plan.contains("Seq Scan") && !plan.contains("Hash"), "\(plan)")
                }
                // Not through the index on raids: a raid has thousands of fights that have ended.
                let started = try await Self.plan(
                    of: RaidMemberStatements.fightsAmong,
                    "smallint, uuid[]",
                    on: connection
                )
                #expect(started.contains("Index Scan using adventures_pkey"), "\(started)")
                #expect(!started.contains("adventures_raid_idx") && !started.contains("Seq Scan"), "\(started)")
                let entries = try await Self.plan(
                    of: RetentionStatements.entries,
                    "smallint, bigint, timestamptz, bigint, text[]",
                    on: connection
                )
                #expect(
                    entries.contains(#/log_removable_idx on log .*\n *Index Cond: .*"position" > \$2/#),
                    "\(entries)"
                )
                #expect(!entries.contains("Seq Scan"), "\(entries)")
                // One statement reads 200 of the 1,000 that are due, in order.
                let due = try await connection.query(
                    PostgresQuery(
                        Statement("test.due", "EXPLAIN (ANALYZE, BUFFERS) EXECUTE hot_adventure_dueEnds (7, NULL, 200)")
                    )
                )
                let text = try due.map { try $0.decode(String.self) }.joined(separator: "\n")
                let rows = text.firstMatch(of: #/adventures_ends_idx on adventures a .*actual .*rows=(\d+)/#)?.output.1
                #expect(try (200...300).contains(#require(rows.flatMap { Int($0) })), "\(text)")
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
    private static func fill(_ pool: PostgresPool) async throws {
        var generator = SeededGenerator(seed: 1)
        let player = PlayerID(at: noon, using: &generator)
        let heroes = [Hero(playerID: player, id: "spouty", level: 1, potions: 2)]
        let openings = [
            FixtureOpening(.journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: 1)),
            FixtureOpening(.bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: 1)),
        ]
        for number in 0..<shards {
            let shard = Shard(rawValue: UInt8(number))
            let parties = (0..<partiesPerShard).map { index in
                let party = PartyID(at: noon, in: shard, using: &generator)
                let adventure = AdventureID(at: noon, in: shard, using: &generator)
                let activities = (0..<activitiesPerParty).map { _ in
                    Activity(
                        id: ActivityID(at: noon, using: &generator),
                        adventureID: adventure,
                        playerID: player,
                        deviceID: DeviceID(rawValue: player.rawValue),
                        pushToken: [UInt8](repeating: 1, count: 32),
                        environment: .simulator,
                        frequentPushesEnabled: true,
                        locale: nil,
                        registeredAt: noon
                    )
                }
                return FixtureParty(
                    id: party,
                    adventureID: adventure,
                    opening: openings[index % 2],
                    startedAt: noon,
                    interval: .seconds(10),
                    activities: activities
                )
            }
            try await FixtureLoader(pool: pool).load(parties, in: shard, at: noon)
        }
    }

    @Test func `loaded fixtures are played like other adventures`() async throws {
        try await World.with { world in
            try await Self.fill(world.pool)
            world.clock.advance(by: .microseconds(1))
            let due = try await world.store.dueShards().map(\.shard)
            #expect(due.count == Self.shards)
            let backlog = try await world.store.backlogStatistics()
            #expect(
                backlog.journeys == Self.shards * Self.partiesPerShard / 2 && backlog.bossFights == backlog.journeys
            )
            let activities = try await world.store.liveActivities(of: due[0])
            #expect(activities.count == Self.partiesPerShard * Self.activitiesPerParty)
            let adventure = try #require(try await world.store.adventure(activities[0].adventureID))
            let party = try await world.store.party(adventure.partyID)
            #expect(party?.adventureID == adventure.id && party?.members.count == 1)
            world.clock.advance(by: .seconds(20_000))
            for shard in due {
                var closed = 0
                while let move = try await world.store.moveClock(of: shard) {
                    closed += move.closed.count
                    guard move.hasMore else { break }
                }
                #expect(closed == Self.partiesPerShard)
            }
            #expect(try await world.store.replay(adventure.id)?.stored.endedAt != nil)
        }
    }
}
