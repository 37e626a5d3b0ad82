import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import PostgresClient
import Testing

@testable import PushDispatcher

// What a database, another version or an operator does to a shard, behind the dispatchers' backs.

extension DispatchWorld {
    /// Runs a statement with a shard as its parameter.
    private func change(_ shard: Shard, _ name: String, _ text: String) async throws {
        _ = try await pool.query(PostgresQuery(Statement("test.\(name)", text), Int16(shard.rawValue)))
    }

    /// Runs `body` while the database has no other connection and accepts none.
    func withoutDatabase(_ body: () async throws -> Void) async throws {
        try await pool.withConnection { connection in
            try await connection.script(
                """
                UPDATE pg_database SET datallowconn = false WHERE datname = current_database();
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """
            )
            try await body()
            try await connection.script(
                "UPDATE pg_database SET datallowconn = true WHERE datname = current_database()"
            )
        }
    }

    /// Lets no adventure of a shard be one of which a member is known to have a device with an alert token.
    func removeAlertMarks(of shard: Shard) async throws {
        try await change(shard, "unmark", "UPDATE adventures SET alerts_since = NULL WHERE shard = $1")
    }

    /// Damages the newest input of an adventure.
    func damageInput(of stored: StoredAdventure) async throws {
        try await change(
            stored.id.shard,
            "damageInput",
            """
            UPDATE log SET body = 'nonsense'
            WHERE shard = $1 AND position = (SELECT max(position) FROM log WHERE shard = $1 AND kind = 'input')
            """
        )
    }

    /// Appends an entry of a kind that no version knows yet.
    func appendUnknownEntry(to stored: StoredAdventure) async throws {
        try await append("'raided'", at: "m.clock", to: stored)
    }

    /// Appends an entry for a moment that cannot be decoded, so that reading the log fails.
    func appendUndecodableEntry(to stored: StoredAdventure) async throws {
        let allow = Statement("test.allowInfinity", "ALTER TABLE log DROP CONSTRAINT log_at_check")
        _ = try await pool.query(PostgresQuery(allow))
        try await append("'ended'", at: "'infinity'", to: stored)
    }

    private func append(_ kind: String, at moment: String, to stored: StoredAdventure) async throws {
        try await change(
            stored.id.shard,
            "append.\(kind)",
            """
            WITH moved AS (
                UPDATE shards SET head = head + 1, clock = clock + interval '1 microsecond'
                WHERE shard = $1 RETURNING head, clock
            )
            INSERT INTO log (shard, position, at, kind, adventure_id, body)
            SELECT $1, m.head, \(moment), \(kind), a.adventure_id, ''
            FROM moved AS m, (SELECT adventure_id FROM adventures WHERE shard = $1 LIMIT 1) AS a
            """
        )
    }

    /// Removes the newest entry of a shard's log, whose head stays.
    func removeNewestEntry(of shard: Shard) async throws {
        try await change(
            shard,
            "removeNewestEntry",
            "DELETE FROM log WHERE shard = $1 AND position = (SELECT head FROM shards WHERE shard = $1)"
        )
    }

    /// Makes a shard need a newer version.
    func requireNewerVersion(of shard: Shard) async throws {
        try await change(
            shard,
            "requireNewerVersion",
            "UPDATE shards SET requires = 99, clock = clock + interval '1 microsecond' WHERE shard = $1"
        )
    }

    /// Sets the clock of a shard back.
    func setClockBack(of shard: Shard) async throws {
        try await change(
            shard,
            "setClockBack",
            "UPDATE shards SET clock = clock - interval '1 second' WHERE shard = $1"
        )
    }

    /// Changes the digest of a shard, as if other entries had been written.
    func changeDigest(of shard: Shard) async throws {
        try await change(shard, "changeDigest", "UPDATE shards SET digest = digest # 1 WHERE shard = $1")
    }

    /// Runs `body`, and then loses what was appended to a shard's log, like a failover to a replica that lags behind.
    func losingCommits(of shard: Shard, _ body: () async throws -> Void) async throws {
        let keep = Statement("test.keepShards", "CREATE TABLE kept_shards AS SELECT * FROM shards")
        _ = try await pool.query(PostgresQuery(keep))
        try await body()
        try await change(
            shard,
            "loseCommits",
            """
            WITH kept AS (SELECT head, digest, clock FROM kept_shards WHERE shard = $1),
                lost AS (DELETE FROM log WHERE shard = $1 AND position > (SELECT head FROM kept))
            UPDATE shards AS s SET head = k.head, digest = k.digest, clock = k.clock FROM kept AS k WHERE s.shard = $1
            """
        )
    }

    /// Brings back an earlier lease of a shard by the same node, and what was known of its activities when it began, like
    /// a failover that lost the newest lease and its flushes.
    func loseLease(of shard: Shard) async throws {
        try await change(
            shard,
            "loseLease",
            """
            WITH earlier AS (UPDATE leases SET epoch = epoch - 1, first_timestamp = 0 WHERE shard = $1)
            UPDATE activities SET last_timestamp = 0, acknowledged_at = registered_at - interval '1 microsecond'
            WHERE shard = $1
            """
        )
    }

    /// Brings back an earlier lease of a shard by the same node, like a failover that lost nothing but the newest one.
    func loseEpoch(of shard: Shard) async throws {
        try await change(shard, "loseEpoch", "UPDATE leases SET epoch = epoch - 1 WHERE shard = $1")
    }

    /// Brings back the lease of a shard to a node that has released it, like a failover that lost the release.
    func bringBackLease(of shard: Shard, to holder: UUID) async throws {
        let update = Statement("test.bringBackLease", "UPDATE leases SET holder = $2, epoch = 5 WHERE shard = $1")
        _ = try await pool.query(PostgresQuery(update, Int16(shard.rawValue), holder))
    }

    /// Returns the clock of a shard.
    func clock(of shard: Shard) async throws -> Timestamp {
        try #require(try await store.heads(of: [shard]).first).clock
    }

    /// Moves the clock of a shard to a moment, as an engine does at that moment.
    func moveClock(of shard: Shard, to moment: Timestamp) async throws {
        _ = try await GameStore(pool: pool, clock: .manual { moment }).moveClock(of: shard)
    }

    /// Moves the clock of a shard by ten seconds, during which nobody moved it.
    func passOutage(of shard: Shard) async throws {
        let (clock, gap) = (game.clock, Duration.seconds(10))
        let later = GameStore(pool: pool, clock: .manual(outageLimit: .seconds(2)) { clock.now + gap })
        #expect(try await later.moveClock(of: shard)?.outage != nil)
    }
}
