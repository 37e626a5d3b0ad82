public import Encodings
public import GameCore
import PostgresClient

extension GameStore {
    /// Locks a shard's row, runs the body, writes what it recorded and commits, all in one transaction.
    ///
    /// The row's lock is the claim: no one else changes anything of the shard until the commit, so the log's
    /// positions are handed out without gaps and become visible in order. Waits while another transaction holds the
    /// shard. The body reads, decides and records, everything stamped with `now`, which is asked for once the shard is
    /// locked, so that the log's times do not run backwards. When the body throws, nothing has happened.
    public func withShard<Result: Sendable>(
        _ shard: Shard,
        at now: @autoclosure () -> Timestamp,
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result {
        let committed = try await pool.withTransaction { connection in
            let rows = try await connection.query(PostgresQuery(ShardStatements.lock, shard.column))
            guard let row = rows.first else { throw StoreError.missingShard(shard) }
            return try await run(body, on: connection, shard: shard, row: row, at: now())
        }
        note(committed)
        return committed.result
    }

    /// Like ``withShard(_:at:_:)``, but returns nil at once when another transaction holds the shard.
    public func withFreeShard<Result: Sendable>(
        _ shard: Shard,
        at now: @autoclosure () -> Timestamp,
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result? {
        let committed: Committed<Result>? = try await pool.withTransaction { connection in
            let rows = try await connection.query(PostgresQuery(ShardStatements.lockIfFree, shard.column))
            guard let row = rows.first else { return nil }
            return try await run(body, on: connection, shard: shard, row: row, at: now())
        }
        guard let committed else { return nil }
        note(committed)
        return committed.result
    }

    /// Like ``withShard(_:at:_:)``, but writes nothing of what the body records: what would happen is decided by the same
    /// code as what does.
    public func rehearse<Result: Sendable>(
        in shard: Shard,
        at now: @autoclosure () -> Timestamp,
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(PostgresQuery(ShardStatements.lock, shard.column))
            guard let row = rows.first else { throw StoreError.missingShard(shard) }
            var transaction = try ShardTransaction(connection: connection, shard: shard, now: now(), row: row)
            return try await body(&transaction)
        }
    }

    /// What there is to tell of a transaction that is committed.
    private func note<Result>(_ committed: Committed<Result>) {
        metrics.committed(committed.kinds)
        for entry in committed.audited { entry.note(in: logger) }
    }

    private func run<Result: Sendable>(
        _ body: (inout ShardTransaction) async throws -> Result,
        on connection: PostgresConnection,
        shard: Shard,
        row: PostgresRow,
        at now: Timestamp
    ) async throws -> Committed<Result> {
        var transaction = try ShardTransaction(connection: connection, shard: shard, now: now, row: row)
        let result = try await body(&transaction)
        try await transaction.flush()
        return Committed(result: result, kinds: transaction.log.kinds, audited: transaction.entries)
    }

    /// The shards in which a journey's tick or a turn's deadline has come, in order.
    ///
    /// One small query over 256 rows, with a look into the index of phases for those where journeys run: a shard whose
    /// journeys have their phases later costs no transaction.
    public func shardsDue(at now: Timestamp, slotMicroseconds: Int64) async throws -> [Shard] {
        let rows = try await pool.query(
            PostgresQuery(
                ShardStatements.due,
                now.postgres,
                now.microseconds / slotMicroseconds,
                slotMicroseconds
            )
        )
        return try rows.map { Shard(rawValue: UInt8(truncatingIfNeeded: try $0.decode(Int16.self))) }
    }

    /// The newest position of the log in each of some shards.
    public func heads(of shards: [Shard]) async throws -> [(shard: Shard, head: Int64)] {
        let rows = try await pool.query(PostgresQuery(ShardStatements.heads, shards.map(\.column)))
        return try rows.map { row in
            let (shard, head) = try row.decode(Int16.self, Int64.self)
            return (Shard(rawValue: UInt8(truncatingIfNeeded: shard)), head)
        }
    }
}

/// What a transaction came to.
private struct Committed<Result: Sendable>: Sendable {
    /// What the body returned.
    let result: Result
    /// The kinds of the entries that it has added to the log.
    let kinds: [String]
    /// The entries that it has added to the audit log.
    let audited: [AuditEntry]
}

/// What a shard's row holds besides its number; the next deadline follows from the turns.
struct ShardRow: Equatable {
    var head: Int64
    var journeys: Int
    var journeysTickedUntil: Timestamp
}

/// A shard under its lock: reads see the newest state, writes are collected and sent together before the commit.
///
/// The methods that read and record an aggregate are in that aggregate's file.
public struct ShardTransaction {
    let connection: PostgresConnection
    /// The shard that is locked.
    public let shard: Shard
    /// The moment that everything recorded is stamped with.
    public let now: Timestamp
    private let opened: ShardRow
    private(set) var row: ShardRow
    var parties: [PartyID: Party] = [:]
    var log = LogColumns()
    var adventures = AdventureColumns()
    var turns = TurnColumns()
    var writes: [PostgresQuery] = []
    var closings: [PostgresQuery] = []
    var changes: [AuditChange] = []
    /// What became of the changes in the audit log, once they are written.
    var entries: [AuditEntry] = []

    fileprivate init(connection: PostgresConnection, shard: Shard, now: Timestamp, row: PostgresRow) throws {
        let (head, journeys, tickedUntil) = try row.decode(Int64.self, Int32.self, PostgresTimestamp.self)
        let found = ShardRow(head: head, journeys: Int(journeys), journeysTickedUntil: Timestamp(tickedUntil))
        self.connection = connection
        self.shard = shard
        self.now = now
        self.row = found
        opened = found
    }

    /// The position of the newest entry of the log, those recorded here included.
    public var head: Int64 { row.head }

    /// What was recorded for the audit log here, in order.
    public var audited: [AuditChange] { changes }

    /// How many journeys run in the shard.
    public internal(set) var journeys: Int {
        get { row.journeys }
        set { row.journeys = newValue }
    }

    /// Every journey's tick due at or before this moment has been played.
    public var journeysTickedUntil: Timestamp {
        get { row.journeysTickedUntil }
        set { row.journeysTickedUntil = newValue }
    }

    /// Hands out the next position of the log.
    mutating func nextPosition() -> Int64 {
        row.head += 1
        return row.head
    }

    /// Sends everything recorded, in one round trip; what is audited takes another one before it.
    ///
    /// The order matters: new rows before what refers to them, adventures are updated while they live and closed
    /// afterwards, and the shard's row comes last, since it reads the turns.
    fileprivate mutating func flush() async throws {
        var queries = writes + partyQueries()
        let updateIndex = queries.count
        queries += adventures.queries(shard: shard)
        queries += closings
        queries += turns.queries(shard: shard)
        queries += log.queries(shard: shard)
        queries += try await auditQueries()
        if row != opened {
            queries.append(
                PostgresQuery(
                    ShardStatements.move,
                    shard.column,
                    row.head,
                    Int32(row.journeys),
                    row.journeysTickedUntil.postgres
                )
            )
        }
        let results = try await connection.pipeline(queries)
        guard adventures.count == 0 || results[updateIndex].affectedRows == adventures.count else {
            throw StoreError.lostRows(
                statement: AdventureStatements.advance.name,
                expected: adventures.count,
                changed: results[updateIndex].affectedRows
            )
        }
    }
}

enum ShardStatements {
    private static let columns = "head, journeys, journeys_ticked_until"

    static let lock = Statement(
        "shard.lock",
        "SELECT \(columns) FROM shards WHERE shard = $1 FOR UPDATE"
    )

    static let lockIfFree = Statement(
        "shard.lockIfFree",
        "SELECT \(columns) FROM shards WHERE shard = $1 FOR UPDATE SKIP LOCKED"
    )

    static let move = Statement(
        "shard.move",
        """
        UPDATE shards
        SET head = $2,
            journeys = $3,
            journeys_ticked_until = $4,
            next_turn_at = (SELECT min(due_at) FROM boss_turns WHERE shard = $1)
        WHERE shard = $1
        """
    )

    static let due = Statement(
        "shard.due",
        """
        SELECT s.shard
        FROM (
            SELECT shard, journeys, next_turn_at,
                floor(extract(epoch FROM journeys_ticked_until) * 1000000 / $3)::bigint AS after
            FROM shards
        ) AS s
        WHERE s.next_turn_at <= $1
            OR s.journeys > 0
            AND s.after < $2
            AND EXISTS (
                SELECT FROM adventures AS a
                WHERE a.shard = s.shard AND a.live AND a.phase IS NOT NULL
                    AND CASE
                        WHEN $2 - s.after >= 100 THEN true
                        WHEN s.after % 100 < $2 % 100 THEN a.phase > s.after % 100 AND a.phase <= $2 % 100
                        ELSE a.phase > s.after % 100 OR a.phase <= $2 % 100
                    END
            )
        ORDER BY s.shard
        """
    )

    static let heads = Statement(
        "shard.heads",
        "SELECT shard, head FROM shards WHERE shard = ANY ($1) ORDER BY shard"
    )
}
