import Encodings
import GameCore
import GameLog
import PostgresClient

enum ShardStatements {
    private static let columns =
        """
        shard, head, digest, clock, due_after, stopped_for, journeys, boss_fights, raids, raid_due_at, requires,
            clock_timestamp()
        """

    /// Returns an expression for how long after a moment the clock of shard `$1` is due; null while nothing lives in it.
    ///
    /// Where little lives, it is due at the next tick, so that a tick is seen at once and nothing is written without need:
    /// the ticks before an adventure's end are whole intervals apart. It is due once a second at least, which tells a
    /// quiet shard from an outage. Where more lives, it is due four times a second, and where much lives twice, whatever
    /// happens then: 256 such shards need about a thousand moves a second at most. Where little lives, short ticks can
    /// need more. The rounds of a raid need a move each second, which shows the ticks of its fights.
    private static func due(after clock: String, stoppedFor: String, live: String, raidDueAt: String) -> String {
        """
        least(CASE
                WHEN \(raidDueAt) IS NOT NULL
                THEN least(1000000, greatest(0, (extract(epoch FROM \(raidDueAt) - \(clock)) * 1000000)::bigint))
            END, CASE
                WHEN \(live) = 0 THEN NULL
                WHEN \(live) > 256 THEN 500000
                WHEN \(live) > 64 THEN 250000
                ELSE (
                    SELECT least(1000000, min(CASE WHEN e.rest > 0 THEN e.rest ELSE e.rest + e.tick_interval END))
                    FROM (
                        SELECT ((extract(epoch FROM a.ends_at - \(clock)) * 1000000)::bigint + \(stoppedFor))
                            % a.tick_interval AS rest, a.tick_interval
                        FROM adventures AS a
                        WHERE a.shard = $1 AND a.ended_at IS NULL AND a.kind <> 'raid'
                    ) AS e
                )
            END)
        """
    }

    /// Limits how long a transaction waits for a lock, and how long it may be idle while it holds the shard's.
    ///
    /// Literals in the transaction itself, so that they hold behind a pooler in transaction mode. A row is locked for
    /// milliseconds, but the machine may be busy; a node that vanished keeps a row for the second limit.
    static let limits = [
        PostgresQuery(Statement("shard.limitLockWait", "SET LOCAL lock_timeout = '4s'")),
        PostgresQuery(Statement("shard.limitIdleTime", "SET LOCAL idle_in_transaction_session_timeout = '10s'")),
    ]

    /// Locks a shard's row by primary key.
    static let lock = Statement(
        "shard.lock",
        "SELECT \(columns) FROM shards WHERE shard = $1 FOR UPDATE"
    )

    /// Locks a shard's row by primary key, unless another transaction holds it.
    static let lockIfFree = Statement(
        "shard.lockIfFree",
        "SELECT \(columns) FROM shards WHERE shard = $1 FOR UPDATE SKIP LOCKED"
    )

    /// Updates a shard's row by primary key; `$11` says that its clock is due again at once.
    static let move = Statement(
        "shard.move",
        """
        UPDATE shards
        SET head = $2, digest = $3, clock = $4, stopped_for = $5, journeys = $6, boss_fights = $7, raids = $8,
            raid_due_at = $9, requires = $10,
            due_after = CASE WHEN $11 THEN 0 ELSE \(
                due(
                    after: "$4::timestamptz",
                    stoppedFor: "$5::bigint",
                    live: "$6::integer + $7::integer + $8::integer",
                    raidDueAt: "$9::timestamptz"
                )
            ) END
        WHERE shard = $1
        """
    )

    /// Moves a shard's clock from `$2` to `$3` by primary key, unless another transaction has moved it or holds the lock,
    /// or the database's clock, or `$4` if it is given, has not reached that moment.
    static let tick = Statement(
        "shard.tick",
        """
        UPDATE shards
        SET clock = $3,
            due_after = \(
                due(
                    after: "$3::timestamptz",
                    stoppedFor: "shards.stopped_for",
                    live: "shards.journeys + shards.boss_fights + shards.raids",
                    raidDueAt: "shards.raid_due_at"
                )
            )
        WHERE shard = $1 AND ($3::timestamptz <= $4 OR $4 IS NULL AND $3 <= now())
            AND shard IN (SELECT s.shard FROM shards AS s WHERE s.shard = $1 AND s.clock = $2 FOR UPDATE SKIP LOCKED)
        """
    )

    /// Finds the shards whose clocks are to be moved within `$4` microseconds, over the 256 rows of the table, and whether
    /// only ticks are due in them: no end is to be recorded, no round of a raid is over, and there was no outage.
    ///
    /// In a shard with more than 200 live adventures, the engine records an end two seconds late, together with others.
    /// Readers show the end as soon as the clock has passed it, and a command records the ends that are due before it
    /// does anything else, so a party can start its next adventure at once.
    static let due = Statement("shard.due", findDue())

    /// Finds the due ones of the shards `$5`, so that Citus asks only the machines that have them.
    static let dueAmong = Statement("shard.dueAmong", findDue(among: "$5"))

    private static func findDue(among shards: String? = nil) -> String {
        let (ofShards, ofAdventures) =
            shards.map { ("WHERE shard = ANY (\($0))", "AND a.shard = ANY (\($0))") } ?? ("", "")
        return """
            SELECT s.shard, s.clock, s.now, s.due_after,
                NOT EXISTS (
                    SELECT FROM adventures AS a
                    WHERE a.shard = s.shard \(ofAdventures) AND a.ended_at IS NULL
                        AND a.ends_at <= s.moment - s.stopped_for * interval '1 microsecond'
                            - CASE WHEN s.journeys + s.boss_fights > 200 THEN interval '2 seconds' ELSE interval '0' END
                ) AND (s.raid_due_at IS NULL OR s.moment < s.raid_due_at)
                AND ($3::bigint IS NULL OR s.moment - s.clock <= $3 * interval '1 microsecond')
            FROM (
                SELECT r.*, greatest(r.now, r.clock + r.due_after * interval '1 microsecond') AS moment
                FROM (SELECT *, coalesce($1, clock_timestamp()) AS now FROM shards \(ofShards)) AS r
            ) AS s
            WHERE s.requires <= $2 AND s.clock < s.moment AND s.due_after IS NOT NULL
                AND s.moment <= s.now + $4 * interval '1 microsecond'
            ORDER BY s.shard
            """
    }

    /// Reads shards by primary key.
    static let heads = Statement(
        "shard.heads",
        "SELECT \(columns) FROM shards WHERE shard = ANY ($1) ORDER BY shard"
    )

    /// Reads those of the shards `$1` by primary key whose clock is not `$2` or whose digest is not `$3`.
    static let moved = Statement(
        "shard.moved",
        """
        SELECT \(columns)
        FROM shards JOIN unnest($1::smallint[], $2::timestamptz[], $3::bigint[]) AS k (shard, known_clock, known_digest)
            USING (shard)
        WHERE shard = ANY ($1) AND (clock, digest) IS DISTINCT FROM (known_clock, known_digest)
        ORDER BY shard
        """
    )

    static func move(_ row: ShardHead, isDueAgain: Bool) -> PostgresQuery {
        PostgresQuery(
            move,
            row.shard.column,
            row.head,
            Int64(bitPattern: row.digest.value),
            row.clock.postgres,
            row.stoppedFor.wholeMicroseconds,
            Int32(row.journeys),
            Int32(row.bossFights),
            Int32(row.raids),
            row.raidDueAt?.postgres,
            Int16(row.requires),
            isDueAgain
        )
    }

    /// Decodes a shard's row, and the database's clock.
    static func decode(_ row: PostgresRow, knowing version: RulesVersion) throws -> (ShardHead, Timestamp) {
        let (
            shard, head, digest, clock, dueAfter, stoppedFor, journeys, bossFights, raids, raidDueAt, requires, now
        ) = try row.decode(
            Int16.self,
            Int64.self,
            Int64.self,
            PostgresTimestamp.self,
            Int64?.self,
            Int64.self,
            Int32.self,
            Int32.self,
            Int32.self,
            PostgresTimestamp?.self,
            Int16.self,
            PostgresTimestamp.self
        )
        let found = ShardHead(
            shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)),
            head: head,
            digest: LogDigest(value: UInt64(bitPattern: digest)),
            clock: Timestamp(clock),
            dueAfter: dueAfter.map { .microseconds($0) },
            stoppedFor: .microseconds(stoppedFor),
            journeys: Int(journeys),
            bossFights: Int(bossFights),
            raids: Int(raids),
            raidDueAt: raidDueAt.map { Timestamp($0) },
            requires: Int(requires),
            knownVersion: version
        )
        return (found, Timestamp(now))
    }
}
