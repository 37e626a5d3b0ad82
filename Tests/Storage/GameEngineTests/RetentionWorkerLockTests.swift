import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import Logging
import PostgresClient
import PrivatePostgres
import RangersMetrics
import ServiceRuntime
import TestSupport
import Testing

@testable import GameEngine

/// The retention worker beside concurrent commands, and beside sessions that lock the rows to remove.
@Suite struct RetentionWorkerLockTests {
    @Test func `the game continues whatever rows the retention worker has locked`() async throws {
        let uri = try await TestDatabases.make()
        // Without this timeout, a session that waits for the retention worker would wait forever.
        _ = try await PostgresShell.run(
            "SELECT format('ALTER DATABASE %I SET lock_timeout = ''10s''', current_database()) \\gexec",
            on: uri
        )
        var options = World.Options()
        options.uri = uri
        try await World.with(options) { world in
            let game = try await OldGame.play(in: world)
            try await world.distribute()
            let lease = try #require(
                try await world.store.acquireLease(of: game.party.id.shard, at: 0, holder: game.dispatcher)
            )
            try await world.pool.withConnection { try await $0.script(SweepStops.sql) }

            var remaining = Set(SweepStops.all.indices)
            try await world.pool.withConnection { keeper in
                for stop in remaining { _ = try await keeper.query(SweepStops.close(stop)) }
                async let swept: Void = world.sweep(batch: 2)
                while !remaining.isEmpty {
                    let stop = try await world.nextStop(of: remaining)
                    remaining.remove(stop)
                    try await game.playOn(in: world, as: SweepStops.all.count - remaining.count, lease)
                    _ = try await keeper.query(SweepStops.open(stop))
                }
                try await swept
            }

            let removed = await world.removed()
            // The game is too young for the removal of outlines and devices, and its players have no quotas, no awards and no raids, and
            // registered without a key.
            let later: Set<RetentionMetrics.Kind> = [
                .quota, .device, .registration, .adventureOutline, .partyOutline, .leftParty, .playedAdventure, .score,
                .raidRound, .raid,
            ]
            let kinds = RetentionMetrics.Kind.allCases.filter { !later.contains($0) }
            #expect(kinds.allSatisfy { (removed[$0.rawValue] ?? 0) > 0 }, "\(removed)")
            try await world.sweep(batch: 2)
            #expect(await world.removed() == removed)
            let entries = try await world.store.log(of: game.party.id.shard, after: 0, limit: 10_000)
            let log = entries.filter { $0.adventureID != game.journey }
            #expect(entries.count == log.count + 1, "the operator's end of the old journey, which is an input")
            let first = try #require(log.first?.position)
            #expect(log.map(\.position) == Array(first..<first + Int64(log.count)))
            // Every journey played during the sweeps was started and ended.
            #expect(Set(log.map(\.adventureID)).count == SweepStops.all.count)
            #expect(try await !world.hasMixedShards())
        }
    }

    @Test func `locked rows are left to a later sweep, and all others are removed`() async throws {
        try await World.with { world in
            let games = [
                try await OldGame.play(in: world), try await OldGame.play(in: world), try await OldGame.play(in: world),
            ]
            try #require(Set(games.flatMap { [$0.party.id.shard, $0.gone.id.shard] }).count == 6)
            let locks = [
                // Skipped: the statement does not wait for these rows.
                ("adventures", "adventure_id", games[0].journey.rawValue),
                ("idempotency_keys", "player_id", games[0].leader.rawValue),
                // Left after a short wait.
                ("log", "kind = 'ended' AND adventure_id", games[1].journey.rawValue),
                ("player_parties", "party_id", games[2].gone.id.rawValue),
            ]
            try await world.pool.withTransaction { keeper in
                for (table, column, id) in locks {
                    let lock = Statement("test.lock.\(table)", "SELECT FROM \(table) WHERE \(column) = $1 FOR UPDATE")
                    let held = try await keeper.query(PostgresQuery(lock, id))
                    #expect(!held.isEmpty)
                }
                let left = try await #require(throws: IncompleteSweep.self) {
                    try await world.sweep(batch: 2, lockTimeout: .milliseconds(1))
                }
                #expect(left.shards == [games[1].party.id.shard, games[2].gone.id.shard].sorted())
                #expect(left.failures == 2 && !left.isAborted)
                #expect("\(left)".contains("lock timeout"))
            }
            let removed = try await world.removedDetails()
            #expect(games.map { removed.contains($0.journey) } == [false, true, true])
            let before = await world.removed()
            // Each kind exists three times, and one of each is locked.
            #expect(before["idempotencyRecord"] == 2 && before["adventure"] == 5 && before["activity"] == 2)
            #expect(before["party"] == 2 && before["inviteCode"] == 4)

            try await world.sweep(batch: 2)
            let after = await world.removed()
            #expect(after["idempotencyRecord"] == 3 && after["adventure"] == 6 && after["activity"] == 3)
            #expect(after["party"] == 3)
            for game in games {
                let log = try await world.store.log(of: game.party.id.shard, after: 0, limit: 100)
                #expect(log.allSatisfy { if case .input = $0.content { true } else { false } })
            }
        }
    }

    @Test func `failures of one shard do not abort a sweep, and failures of all shards do`() throws {
        struct Failure: Error {}
        var failures = SweepFailures()
        try failures.throwIfAny()
        for shard in Shard.all {
            for _ in 0..<3 { try failures.note(Failure(), in: shard) }
            failures.noteSuccess()
        }
        let left = try #require(throws: IncompleteSweep.self) { try failures.throwIfAny() }
        #expect(left.shards == Shard.all && left.failures == 3 * 256 && !left.isAborted)

        failures = SweepFailures()
        var tried = 0
        let aborted = try #require(throws: IncompleteSweep.self) {
            for shard in Shard.all {
                tried += 1
                try failures.note(Failure(), in: shard)
            }
        }
        #expect(aborted.isAborted && aborted.failures == tried && tried < 256)
    }
}

/// An adventure that ended long ago with all the data it leaves behind.
///
/// Its party may continue to play.
private struct OldGame: Sendable {
    let party: Party
    let leader: PlayerID
    let journey: AdventureID
    /// Another, disbanded party of the leader.
    let gone: Party
    let dispatcher = UUID()

    static func play(in world: World) async throws -> OldGame {
        let leader = try await world.player("Ada")
        let party = try await world.party(of: [leader, try await world.player("Ben")])
        let gone = try await world.party(of: [leader])
        // The previous code becomes unused.
        _ = try await renewCode(of: party, "old", in: world)
        let journey = try await world.startJourney(party)
        _ = try await registerActivity(on: journey.id, of: leader, in: world)
        _ = try await world.commands.end(journey.id, by: .test)
        _ = try await world.startJourney(gone)
        try await world.commands.disband(gone.id, by: .test)
        try await world.pool.withConnection { connection in
            try await connection.script(
                """
                UPDATE activities SET state = 'ended';
                INSERT INTO activity_decisions SELECT shard, adventure_id, activity_id, '' FROM activities
                    ON CONFLICT DO NOTHING;
                INSERT INTO activity_receipts SELECT shard, adventure_id, activity_id, '', 1, now() FROM activities
                    ON CONFLICT DO NOTHING;
                INSERT INTO requested_pushes SELECT shard, adventure_id, activity_id, 1, '{}' FROM activities
                    ON CONFLICT DO NOTHING;
                UPDATE leases AS l SET checkpoint = s.head FROM shards AS s WHERE s.shard = l.shard;
                """
            )
        }
        world.clock.advance(by: RetentionSettings.defaultAge + .seconds(1))
        return OldGame(party: party, leader: leader, journey: journey.id, gone: gone)
    }

    /// Runs all kinds of commands in the shards that are swept, for the same players.
    func playOn(in world: World, as number: Int, _ lease: ShardLease) async throws {
        let friend = try await world.player("Friend \(number)")
        _ = try await world.join(try await world.party(party.id), friend)
        _ = try await world.party(of: [friend, leader])
        _ = try await Self.renewCode(of: party, "new-\(number)", in: world)
        let journey = try await world.startJourney(party)
        let activityID = try await Self.registerActivity(on: journey.id, of: leader, in: world)
        world.clock.advance(by: .seconds(10))
        #expect(try await world.engine().runPollCycle().moves > 0)
        let mark = ActivityCheckpoint(
            adventureID: journey.id,
            activityID: activityID,
            generation: 1,
            lastTimestamp: 1,
            acknowledgedAt: world.clock.now,
            acceptedAlerts: [],
            state: .live
        )
        let checkpoint = lease.checkpoint + Int64(number)
        #expect(try await world.store.flush(lease, holder: dispatcher, checkpoint: checkpoint, activities: [mark]))
        _ = try await world.commands.release(activityID, of: journey.id, by: leader, request: nil)
        _ = try await world.commands.end(journey.id, by: .test)
        _ = try await world.commands.removeMember(friend, of: party.id, by: leader, request: nil)
    }

    private static func renewCode(of party: Party, _ key: String, in world: World) async throws -> EncodedResponse {
        let request = IdempotentRequest(key: key, hash: Array(repeating: 7, count: 32))
        return try await world.commands.renewInviteCode(of: party.id, by: party.leaderID, request: request) { _ in
            EncodedResponse(status: 200, body: key)
        }
    }

    private static func registerActivity(
        on journey: AdventureID,
        of player: PlayerID,
        in world: World
    ) async throws -> ActivityID {
        var generator = world.runtime.generator()
        let id = ActivityID(at: world.runtime.now(), using: &generator)
        let registration = ActivityRegistration(
            id: id,
            deviceID: try await world.commands.device(of: player),
            pushToken: Array(id.rawValue.uuidString.utf8),
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: nil
        )
        _ = try await world.commands.register(registration, for: journey, by: player, request: nil) { _, _ in
            EncodedResponse(status: 201, body: "")
        }
        return id
    }
}

/// Points at which a retention worker stops inside a transaction, with all rows of a statement locked, until it is
/// released.
private enum SweepStops {
    static let all = [
        "DELETE ON idempotency_keys", "UPDATE OF details_removed_at ON adventures", "DELETE ON activity_decisions",
        "DELETE ON activities", "DELETE ON log", "DELETE ON requested_pushes", "DELETE ON player_parties",
        "DELETE ON invite_codes", "UPDATE OF leftovers_removed_at ON parties", "DELETE ON activity_receipts",
    ]

    /// Triggers that wait at each point without a time limit.
    static let sql =
        """
        CREATE FUNCTION test_stop() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
            PERFORM set_config('lock_timeout', '0', true);
            PERFORM pg_advisory_xact_lock_shared(TG_ARGV[0]::bigint);
            RETURN NULL;
        END
        $body$;
        """
        + all.enumerated().map { number, event in
            "CREATE TRIGGER test_stop AFTER \(event) FOR EACH ROW EXECUTE FUNCTION test_stop('\(number)');"
        }.joined(separator: "\n")

    static func close(_ stop: Int) -> PostgresQuery {
        PostgresQuery(Statement("test.close", "SELECT pg_advisory_lock($1)"), Int64(stop))
    }

    static func open(_ stop: Int) -> PostgresQuery {
        PostgresQuery(Statement("test.open", "SELECT pg_advisory_unlock($1)"), Int64(stop))
    }

    static let waiting = Statement(
        "test.waiting",
        """
        SELECT objid::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
    )
}

extension World {
    /// Runs one sweep of a retention worker.
    fileprivate func sweep(batch: Int, lockTimeout: Duration = .milliseconds(100)) async throws {
        let retentionWorker = RetentionWorker(
            store: store,
            lockTimeout: lockTimeout,
            metrics: retentionMetrics,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        var code: InviteCode?
        try await retentionWorker.sweep(batch: batch, codesAfter: &code)
    }

    /// Returns the numbers of rows removed so far, by kind.
    fileprivate func removed() async -> [String: Int] {
        let series = await registry.text().matches(
            of: /rangers_retention_removed_total\{kind="([a-zA-Z]+)"\} ([0-9]+)/
        )
        return Dictionary(uniqueKeysWithValues: series.map { (String($0.output.1), Int($0.output.2) ?? 0) })
    }

    /// Waits until the retention worker stops at one of these points.
    fileprivate func nextStop(of stops: Set<Int>) async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            let waiting = try await pool.query(PostgresQuery(SweepStops.waiting)).map { try $0.decode(Int64.self) }
            if let stop = waiting.map({ Int($0) }).first(where: stops.contains) { return stop }
            try await Task.sleep(for: .milliseconds(10))
        }
        return try #require(nil as Int?, "the retention worker stopped at none of the points")
    }

    /// Distributes the schema as over a Citus cluster, after which no transaction may change two shards.
    fileprivate func distribute() async throws {
        try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
        _ = try await store.migrate(distributing: true)
    }

    fileprivate func hasMixedShards() async throws -> Bool {
        let offences = Statement("test.offences", "SELECT is_called FROM stand_in.offences")
        return try await pool.query(PostgresQuery(offences))[0].decode(Bool.self)
    }
}
