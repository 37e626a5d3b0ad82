import GameCore
import GameLog
import PostgresClient
import PrivatePostgres
import Testing

@testable import GameStore

/// A machine of a Citus cluster that does not respond, as a stand-in shows it: the one with the odd shards.
@Suite struct WorkerOutageTests {
    /// Lets reads of shards fail as Citus does, while their machine is away.
    private static let sql = """
        CREATE TABLE stand_in.away (machine text PRIMARY KEY);
        CREATE FUNCTION stand_in.responds(shard smallint) RETURNS boolean LANGUAGE plpgsql COST 1000000 AS $body$
        BEGIN
            IF shard % 2 = 1 AND EXISTS (SELECT FROM stand_in.away) THEN
                RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
            END IF;
            RETURN true;
        END
        $body$;
        ALTER TABLE shards RENAME TO all_shards;
        CREATE VIEW shards AS SELECT * FROM all_shards WHERE stand_in.responds(shard);
        ALTER TABLE leases RENAME TO all_leases;
        CREATE VIEW leases AS SELECT * FROM all_leases WHERE stand_in.responds(shard);
        """

    private static func isAway(_ isAway: Bool, in pool: PostgresPool) async throws {
        try await pool.withConnection { connection in
            try await connection.script(
                isAway ? "INSERT INTO stand_in.away VALUES ('odd')" : "DELETE FROM stand_in.away"
            )
        }
    }

    @Test func `a machine that is away holds up its own shards only, and is noticed when it is back`() async throws {
        try await withStore(migrated: false) { store, pool in
            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            _ = try await store.migrate(distributing: true)
            let (even, odd) = (Shard(rawValue: 2), Shard(rawValue: 3))
            for shard in [even, odd] { _ = try await storedFight(in: store, shard: shard) }
            try await pool.withConnection { try await $0.script(Self.sql) }
            let horizon = Duration.seconds(3_600)
            #expect(try await store.dueShards(within: horizon).map(\.shard) == [even, odd])

            try await Self.isAway(true, in: pool)
            #expect(try await store.dueShards(within: horizon).map(\.shard) == [even])
            #expect(store.unreachableWorkers == ["odd:5432"])
            #expect(store.unreachableShards.count == 128)
            #expect(try await store.heads(of: Shard.all).map(\.shard) == Shard.all.filter { $0.rawValue % 2 == 0 })
            #expect(try await store.heads(of: [even, odd], otherThan: [:]).map(\.shard) == [even])
            _ = try await store.moveClock(of: even)
            // Another node takes over the other shards.
            let survey = try await store.leaseSurvey(grace: .zero)
            #expect(survey.unleased.keys.sorted() == Shard.all.filter { $0.rawValue % 2 == 0 })
            #expect(survey.unread.sorted() == Shard.all.filter { $0.rawValue % 2 == 1 })
            // A read of nothing else fails, and so does a command: the players of these shards get 503.
            let error = await #expect(throws: PostgresError.self) { try await store.heads(of: [odd]) }
            #expect(error.flatMap { DatabaseFailure($0) } == .unavailable)
            await #expect(throws: PostgresError.self) { try await store.moveClock(of: odd) }

            try await Self.isAway(false, in: pool)
            let deadline = ContinuousClock.now + .seconds(60)
            while !store.unreachableShards.isEmpty, ContinuousClock.now < deadline {
                _ = try await store.heads(of: [even])
            }
            #expect(store.unreachableWorkers == [])
            #expect(try await store.heads(of: Shard.all).count == Shard.all.count)
        }
    }

    @Test func `errors of a plain PostgreSQL blame no machine`() async throws {
        try await withStore { store, pool in
            try await pool.withConnection { connection in
                try await connection.script(
                    """
                    CREATE FUNCTION fail() RETURNS boolean LANGUAGE plpgsql AS $$
                    BEGIN RAISE EXCEPTION 'away' USING ERRCODE = '08006'; END $$;
                    ALTER TABLE shards RENAME TO all_shards;
                    CREATE VIEW shards AS SELECT * FROM all_shards WHERE fail();
                    """
                )
            }
            await #expect(throws: PostgresError.self) { try await store.heads(of: Shard.all) }
            #expect(store.unreachableWorkers == [])
        }
    }
}
