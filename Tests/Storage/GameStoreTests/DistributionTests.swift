import Foundation
import GameCore
import PostgresClient
import PrivatePostgres
import TestSupport
import Testing

@testable import GameStore

@Suite struct DistributionTests {
    /// The tables that stay on the coordinator, each with the reason.
    private static let local = [
        "schema_migrations": "used only by migrations, which run on the coordinator",
        "distributed_migrations": "the same",
        "channel_keepers": "a row for each APNs environment, which one dispatcher renews every few seconds",
        "dispatchers": "written several times a second and read by all dispatchers, which need the coordinator anyway",
    ]

    @Test func `every table is distributed, a reference table, or local for a reason`() async throws {
        try await withStore(migrated: false) { store, pool in
            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            let report = try await store.migrate(distributing: true)
            #expect(report.pending == Migration.all + Migration.distributed)
            let rows = try await pool.query(
                PostgresQuery(
                    Statement(
                        "test.undecided",
                        """
                        SELECT relname::text FROM pg_class
                        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
                            AND relname NOT IN (SELECT name FROM stand_in.tables)
                        """
                    )
                )
            )
            #expect(Set(try rows.map { try $0.decode(String.self) }) == Set(Self.local.keys))
        }
    }

    @Test func `tables with a shard are distributed by it and colocated`() async throws {
        try await withStore(migrated: false) { store, pool in
            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            _ = try await store.migrate(distributing: true)
            let rows = try await pool.query(
                PostgresQuery(
                    Statement(
                        "test.odd",
                        """
                        SELECT c.relname::text FROM pg_class AS c
                        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'shard'
                        LEFT JOIN stand_in.tables AS t ON t.name = c.relname
                        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
                            AND (t.distribution_column, t.colocation) IS DISTINCT FROM ('shard', 'shards')
                        """
                    )
                )
            )
            #expect(try rows.map { try $0.decode(String.self) } == [])
        }
    }

    @Test func `a distributed schema stays distributed, and distribution requires Citus`() async throws {
        try await withStore { store, pool in
            let error = await #expect(throws: MigrationError.self) { try await store.migrate(distributing: true) }
            #expect(error.map { "\($0)".contains("CREATE EXTENSION citus") } == true)
            #expect(try await store.checkMigrations().isCurrent)
            #expect(try await store.checkMigrations(distributing: true).pending == Migration.distributed)

            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            #expect(try await store.migrate().pending == [])
            #expect(try await store.migrate(distributing: true).pending == Migration.distributed)
            let again = try await store.migrate()
            #expect(again.pending == [] && again.applied == Migration.all + Migration.distributed)

            // As if by an earlier version, with a statement for a table that was dropped since.
            let former = try #require(Migration.distributed[0].formerChecksums.first)
            _ = try await pool.query(
                PostgresQuery(
                    Statement("test.former", "UPDATE distributed_migrations SET checksum = $1 WHERE number = 1"),
                    former
                )
            )
            #expect(try await store.checkMigrations().isCurrent)

            // As if by a later version.
            _ = try await pool.query(
                PostgresQuery(Statement("test.forget", "UPDATE distributed_migrations SET checksum = 'other'"))
            )
            #expect(try await store.checkMigrations().edited == Migration.distributed)
        }
    }

    @Test func `a schema restored from the dump of a distributed one is distributed again`() async throws {
        try await withStore(migrated: false) { store, pool in
            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            #expect(try await store.migrate(distributing: true).isDistributed)
            #expect(try await store.checkMigrations().isDistributed)
            // A dump has the records of the migrations, but not what they did.
            try await pool.withConnection { connection in
                try await connection.script("SELECT undistribute_table(name::regclass) FROM stand_in.tables")
            }
            let check = try await store.checkMigrations()
            #expect(check.pending == Migration.distributed && check.hasLostDistribution && !check.isDistributed)
            #expect(try await store.migrate().pending == Migration.distributed)
            #expect(try await store.checkMigrations().isDistributed)
            // Without Citus, the error says what to do.
            try await pool.withConnection { connection in
                try await connection.script(
                    "DROP FUNCTION create_distributed_table; DROP VIEW pg_dist_partition; DROP SCHEMA stand_in CASCADE"
                )
            }
            #expect(try await store.checkMigrations().hasLostDistribution)
            let error = await #expect(throws: MigrationError.self) { try await store.migrate() }
            #expect(error.map { "\($0)".contains("DROP TABLE distributed_migrations") } == true)
        }
    }

    @Test func `every file of the folder is embedded, with consecutive numbers`() throws {
        let folder = ProjectFiles.root.appending(path: "Migrations/distributed")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasSuffix(".sql") }
            .map { "distributed/" + $0.dropLast(4) }
        #expect(files.sorted() == Migration.distributed.map(\.name))
        #expect(Migration.distributed.map(\.number) == Array(1...Migration.distributed.count))
    }

    @Test func `the stand-in for Citus rejects what Citus rejects`() async throws {
        let refused = [
            ("lack the distribution column", "CREATE TABLE t (shard smallint NOT NULL, id uuid PRIMARY KEY)"),
            ("lack the distribution column", "CREATE TABLE t (shard smallint PRIMARY KEY, name text UNIQUE)"),
            (
                "there is no column",
                "CREATE TABLE t (id uuid NOT NULL, shard smallint GENERATED ALWAYS AS (1) STORED)"
            ),
            ("types do not match", "CREATE TABLE t (shard integer PRIMARY KEY)"),
            (
                "foreign keys of t refer to tables that are not colocated: t_far",
                "CREATE TABLE t (shard smallint PRIMARY KEY, far integer CONSTRAINT t_far REFERENCES schema_migrations)"
            ),
            (
                "foreign keys of t refer to tables that are not colocated: t_far",
                "CREATE TABLE t (shard smallint PRIMARY KEY, far smallint CONSTRAINT t_far REFERENCES shards)"
            ),
            (
                "triggers are not supported",
                """
                CREATE TABLE t (shard smallint PRIMARY KEY);
                CREATE TRIGGER quiet BEFORE UPDATE ON t EXECUTE FUNCTION suppress_redundant_updates_trigger()
                """
            ),
        ]
        try await withStore(migrated: false) { store, pool in
            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            _ = try await store.migrate(distributing: true)
            for (reason, table) in refused {
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.withConnection { connection in
                        try await connection.script(
                            "\(table); SELECT create_distributed_table('t', 'shard', colocate_with => 'shards')"
                        )
                    }
                }
                #expect(error.map { "\($0)".contains(reason) } == true, "\(table): \(String(describing: error))")
            }
            // The stand-in accepts a table that Citus accepts.
            try await pool.withConnection { connection in
                try await connection.script(
                    """
                    CREATE TABLE t (
                        shard smallint, party_id uuid, PRIMARY KEY (shard, party_id),
                        FOREIGN KEY (shard, party_id) REFERENCES parties (shard, party_id)
                    );
                    SELECT create_distributed_table('t', 'shard', colocate_with => 'shards')
                    """
                )
            }
        }
    }

    @Test func `the stand-in for Citus detects a transaction that changes two shards`() async throws {
        try await withStore(migrated: false) { store, pool in
            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            _ = try await store.migrate(distributing: true)
            let (here, there) = (Shard(rawValue: 3), Shard(rawValue: 4))
            _ = try await storedFight(in: store, shard: here)
            let move = Statement("test.move", "UPDATE shards SET head = head + 1 WHERE shard = $1")
            await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { connection in
                    for shard in [here, there] {
                        _ = try await connection.query(PostgresQuery(move, Int16(shard.rawValue)))
                    }
                }
            }
            let offences = Statement("test.offences", "SELECT is_called FROM stand_in.offences")
            #expect(try await pool.query(PostgresQuery(offences))[0].decode(Bool.self))
        }
    }
}

@Suite struct DispatcherRankTests {
    @Test(arguments: [1, 2, 3, 5, 255, 256, 300])
    func `the shares of all dispatchers add up to all shards and differ by at most one`(count: Int) {
        let shares = (0..<count).map { DispatcherRank(index: $0, count: count).share(of: 256) }
        #expect(shares.reduce(0, +) == 256)
        #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 1)
    }

    @Test func `dispatchers share the shards until they end or expire`() async throws {
        try await withStore { store, pool in
            let holders = (1...3).compactMap { UUID(uuidString: "00000000-0000-7000-8000-00000000000\($0)") }
            func shares() async throws -> [Int?] {
                let survey = try await store.leaseSurvey(grace: .seconds(60))
                return holders.map { survey.share(of: $0, amongShards: 256) }
            }
            for holder in holders {
                try await store.register(dispatcher: holder, knowsAll: true, sendingTo: [], for: .seconds(60))
            }
            #expect(try await shares() == [86, 85, 85])
            try await store.end(dispatcher: holders[0])
            #expect(try await shares() == [nil, 128, 128])
            // It makes way for the other, and without others it does not.
            try await store.note(dispatcher: holders[1], knowsAll: false)
            #expect(try await shares() == [nil, 0, 256])
            _ = try await pool.query(
                PostgresQuery(
                    Statement(
                        "test.silence",
                        "UPDATE dispatchers SET expires_at = now() - interval '1 second' WHERE holder = $1"
                    ),
                    holders[2]
                )
            )
            #expect(try await shares() == [nil, 256, nil])
            // Those that are over are removed.
            let holder = Statement("test.dispatchers", "SELECT holder FROM dispatchers")
            let rows = try await pool.query(PostgresQuery(holder))
            #expect(try rows.map { try $0.decode(UUID.self) } == [holders[1]])
        }
    }
}
