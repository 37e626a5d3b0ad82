import GameStore
import PostgresClient
import PrivatePostgres
import Testing

@Suite struct PlanTests {
    /// SQL that fills each table with so many rows that a sequential scan is a bad plan.
    private static let fill = """
        SET session_replication_role = replica;
        CREATE FUNCTION test_id(kind text, number integer) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN
            (substr(md5(kind || number), 1, 30) || lpad(to_hex(number % 256), 2, '0'))::uuid;
        CREATE TABLE test_numbers AS SELECT number FROM generate_series(0, 8191) AS number;

        INSERT INTO players SELECT number % 256, test_id('player', number), 'Ada', 'spouty', now() FROM test_numbers;
        INSERT INTO player_tokens (token_hash, player_id, created_at)
            SELECT sha256(number::text::bytea), test_id('player', number), now() FROM test_numbers;
        INSERT INTO recovery_codes
            SELECT sha256(number::text::bytea), test_id('player', number), now() FROM test_numbers;
        INSERT INTO apple_accounts
            SELECT sha256(number::text::bytea), test_id('player', number), now(), now() FROM test_numbers;
        INSERT INTO registrations
            SELECT sha256(number::text::bytea), sha256(''), sha256(''), test_id('player', number),
                now() - random() * interval '1 day'
            FROM test_numbers;
        INSERT INTO devices
            SELECT number % 256, test_id('player', number), test_id('device', number), 'simulator', 'de', '1', true, true,
                sha256(number::text::bytea), sha256(number::text::bytea), 1, '{}', '{}', '{}', now(), now()
            FROM test_numbers;
        INSERT INTO parties
            (shard, party_id, name, invite_code, leader_id, capacity, adventure_id, version, created_at)
            SELECT number % 256, test_id('party', number), 'P', 'C' || number, test_id('player', number), 8,
                test_id('adventure', number), 1, now()
            FROM test_numbers;
        INSERT INTO invite_codes SELECT 'C' || number, test_id('party', number), now() FROM test_numbers;
        INSERT INTO members (shard, party_id, player_id, display_name, hero, experience, joined_at)
            SELECT number % 256, test_id('party', number), test_id('player', (number * 7 + seat) % 8192), 'Ada',
                'spouty', 0, now()
            FROM test_numbers, generate_series(1, 3) AS seat;
        INSERT INTO player_parties (shard, player_id, party_id)
            SELECT player % 256, test_id('player', player), test_id('party', number)
            FROM test_numbers, generate_series(1, 3) AS seat, LATERAL (SELECT (number * 7 + seat) % 8192) AS p (player);
        INSERT INTO adventures
            (shard, adventure_id, party_id, kind, opening, started_at, tick_interval, ends_at, fault, outcome, ended_at)
            SELECT number % 256, test_id('adventure', number), test_id('party', number),
                CASE WHEN number / 256 % 2 = 0 THEN 'journey' ELSE 'bossFight' END, repeat('o', 300), now(), 10000000,
                now() + random() * interval '1 hour', CASE WHEN number % 1000 = 0 THEN 'damaged' END,
                CASE WHEN NOT is_live THEN 'completed' END, CASE WHEN NOT is_live THEN now() END
            FROM test_numbers, LATERAL (SELECT number / 512 % 2 = 0) AS k (is_live);
        UPDATE shards SET journeys = 10, boss_fights = 10, requires = 3;
        INSERT INTO log
            SELECT number % 256, number / 256 * 9 + sequence, now(), CASE WHEN sequence < 6 THEN 'input' ELSE 'ended' END,
                test_id('adventure', number), 'end', 1
            FROM test_numbers, generate_series(1, 9) AS sequence;
        INSERT INTO log
            SELECT number, 100000 + outage, now(), 'outage', NULL, '1', NULL
            FROM generate_series(0, 255) AS number, generate_series(1, 3) AS outage;
        INSERT INTO activities
            (shard, adventure_id, activity_id, player_id, push_token, environment, frequent_pushes, generation, state,
             registered_at, token_registered_at, acknowledged_at)
            SELECT number % 256, test_id('adventure', number), test_id('activity', number * 3 + seat),
                test_id('player', (number * 7 + seat) % 8192), '\\xaa', 'simulator', true, 1,
                CASE WHEN number / 512 % 2 = 0 THEN 'live' ELSE 'ended' END, now(), now(), now()
            FROM test_numbers, generate_series(1, 3) AS seat;
        INSERT INTO activity_decisions (shard, adventure_id, activity_id, records)
            SELECT shard, adventure_id, activity_id, repeat('d', 300)::bytea FROM activities WHERE state = 'live';
        INSERT INTO activity_receipts
            SELECT shard, adventure_id, activity_id, repeat('r', 200)::bytea, 1, now() FROM activities
            WHERE state = 'live';
        INSERT INTO requested_pushes SELECT shard, adventure_id, activity_id, 1, repeat('r', 500) FROM activities WHERE state = 'live';
        INSERT INTO idempotency_keys
            SELECT number % 256, test_id('player', number), 'key ' || use, '\\xaa', 200, '{}', 1,
                now() - random() * interval '1 day'
            FROM test_numbers, generate_series(1, 4) AS use;
        INSERT INTO audit
            SELECT number % 256, number / 256 + 1, now() - random() * interval '90 days', 'author ' || number % 20,
                'boss.start', 'party', NULL, NULL, NULL, sha256('')
            FROM test_numbers;
        INSERT INTO campaigns SELECT 'campaign ' || number, 'old-tangle', 'Olga', now() FROM test_numbers;
        INSERT INTO campaign_fights
            SELECT number % 256, 'campaign ' || use, test_id('party', number), test_id('adventure', number), now()
            FROM test_numbers, generate_series(1, 2) AS use;
        INSERT INTO operators
            SELECT 'operator ' || number, 'viewer', sha256(number::text::bytea), now() FROM test_numbers;
        INSERT INTO quotas
            SELECT number % 256, 20000 + day, test_id('player', number), 'party', 1
            FROM test_numbers, generate_series(0, 1) AS day;
        INSERT INTO awards
            SELECT number % 256, test_id('adventure', number), test_id('player', number), test_id('party', number), 'journey',
                'meadow', 'completed', 'spouty', 1, 1, 0, now(), now()
            FROM test_numbers;
        INSERT INTO player_adventures
            SELECT number % 256, test_id('adventure', number + use), test_id('player', number), test_id('party', number),
                'journey', 'meadow', 'completed', 'spouty', 1, 1, 0, now(), now() - random() * interval '1 year'
            FROM test_numbers, generate_series(1, 4) AS use;
        INSERT INTO leaderboard_scores
            SELECT number % 256, test_id('player', number), board, period, '2026-10-01'::timestamptz + day * interval '1 week',
                1 + number % 1000
            FROM test_numbers, unnest(ARRAY['experience', 'bosses']) AS board, unnest(ARRAY['season', 'week']) AS period,
                generate_series(0, 1) AS day;
        INSERT INTO leaderboard_buckets
            SELECT shard, '2026-10-01'::timestamptz + day * interval '1 week', period, board, bucket, 10
            FROM generate_series(0, 255) AS shard, unnest(ARRAY['experience', 'bosses']) AS board,
                unnest(ARRAY['season', 'week']) AS period, generate_series(0, 1) AS day, generate_series(1, 40) AS bucket;
        INSERT INTO channels
            SELECT number % 256, 'raid', test_id('raid', number), 'simulator', 0, 'deleted', NULL, now(), now(), now(), NULL,
                0, now(), 1, 0, 0, now()
            FROM test_numbers;
        UPDATE channels SET state = 'wanted' WHERE shard % 32 = 0;
        UPDATE adventures SET kind = 'raid', raid_id = test_id('raid', shard % 4) WHERE kind = 'bossFight' AND random() < 0.5;
        INSERT INTO log
            SELECT number, 200000 + decision, now(), 'raid', NULL, test_id('raid', 1) || ' 1', NULL
            FROM generate_series(0, 255) AS number, generate_series(1, 3) AS decision;
        INSERT INTO raids
            (shard, raid_id, boss, health, regions, starts_at, ends_at, decision, outcome, ended_at, is_settled)
            SELECT number % 256, test_id('raid', number), 'old-tangle', 100, '{}', now() - random() * interval '1 year',
                now() + interval '1 day', '1', CASE WHEN number % 64 > 0 THEN 'escaped' END,
                CASE WHEN number % 64 > 0 THEN now() END, number % 64 > 0
            FROM test_numbers;
        INSERT INTO raid_members
            SELECT number % 256, test_id('raid', number), member, 0 FROM test_numbers, generate_series(0, 3) AS member;
        INSERT INTO raid_decisions
            SELECT number % 256, test_id('raid', number), decision, '1' FROM test_numbers, generate_series(1, 3) AS decision;
        INSERT INTO raid_history
            SELECT number % 256, test_id('raid', number), round, 1, 1, 1, 1 FROM test_numbers, generate_series(0, 3) AS round;
        INSERT INTO raid_shards
            SELECT number % 256, test_id('raid', number / 256), 'old-tangle', 100, now(), now() + interval '1 day', 0, 0, 0
            FROM test_numbers;
        UPDATE raid_shards SET is_over = true WHERE raid_id <> ALL (ARRAY[test_id('raid', 0), test_id('raid', 1)]);
        INSERT INTO raid_rounds
            SELECT number % 256, test_id('raid', number / 256), round, 1, 1 FROM test_numbers, generate_series(0, 3) AS round;
        INSERT INTO raid_standings SELECT number % 256, test_id('raid', number / 256), '{1}', ARRAY[test_id('party', number)]
            FROM test_numbers;
        INSERT INTO spectators
            SELECT number % 256, test_id('party', number), sha256(number::text::bytea), sha256(''), now() FROM test_numbers;
        INSERT INTO erasures SELECT test_id('player', number), now() FROM test_numbers;
        ANALYZE;
        """

    /// The indexes that statements need, since another one has rows of the past, too.
    private static let indexes = [
        "raid.current": "raids_current_idx", "raid.list": "raids_starts_idx", "raid.open": "raids_open_idx",
        "raidMember.list": "raid_shards_open_idx", "spectators.watched": "spectators_pkey",
    ]

    @Test func `no statement scans a whole table without a documented reason`() async throws {
        try await StatementAnalyzer.with { analyzer in
            // psql has no statement timeout: on a busy machine the script exceeds the client's.
            _ = try await PostgresShell.run(Self.fill, on: analyzer.uri)
            let plans = try await analyzer.plans(of: AllStatements.all)
            for statement in AllStatements.all {
                let plan = try #require(plans[statement.name])
                #expect(plan.contains(/Scan|Result|Insert/), "\(statement.name): \(plan)")
                if let index = Self.indexes[statement.name] {
                    #expect(plan.contains(index), "\(statement.name): \(plan)")
                }
                let scans = Set(
                    plan.matches(of: /Seq Scan on (\w+)/).map { String($0.1) }
                        // Catalogue tables are as large as the schema.
                        .filter { !$0.hasPrefix("pg_") }
                )
                let allowed = StatementExceptions.scans[statement.name, default: []]
                #expect(
                    scans.subtracting(StatementExceptions.smallTables.keys).isSubset(of: allowed),
                    "\(statement.name): \(plan)"
                )
            }
        }
    }
}
