public import Encodings
public import GameCore
import PostgresClient

extension GameStore {
    /// Locks a shard's row, runs the body, writes the changes that it recorded and commits, all in one transaction.
    ///
    /// The lock is exclusive: no other such transaction of the shard runs until the commit, so the log's positions are
    /// assigned without gaps and become visible in order. The call waits while another transaction holds the lock.
    /// `now` is evaluated after locking, so the times in the log are in the order of the positions, except for clock
    /// differences between nodes. It is the time of everything that the body records. If the body throws, nothing is
    /// written.
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
        didCommit(committed)
        return committed.result
    }

    /// Runs the body like ``withShard(_:at:_:)``, but returns nil immediately if another transaction holds the lock.
    public func withShardIfUnlocked<Result: Sendable>(
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
        didCommit(committed)
        return committed.result
    }

    /// Runs the body like ``withShard(_:at:_:)``, but discards everything that it records, so that a dry run is decided
    /// by the same code.
    public func dryRun<Result: Sendable>(
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

    /// Counts and logs the entries that a transaction committed.
    private func didCommit<Result>(_ committed: Committed<Result>) {
        metrics.committed(committed.kinds)
        for entry in committed.auditEntries { entry.log(to: logger) }
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
        return Committed(result: result, kinds: transaction.log.kinds, auditEntries: transaction.auditEntries)
    }

    /// Returns the shards in which a journey's tick or a turn's deadline is due, in order.
    ///
    /// One query over 256 rows, with a look-up in the index on phases for shards with journeys. A shard whose journeys
    /// tick later costs no transaction.
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

    /// Returns the newest position of the log of each shard.
    public func heads(of shards: [Shard]) async throws -> [(shard: Shard, head: Int64)] {
        let rows = try await pool.query(PostgresQuery(ShardStatements.heads, shards.map(\.column)))
        return try rows.map { row in
            let (shard, head) = try row.decode(Int16.self, Int64.self)
            return (Shard(rawValue: UInt8(truncatingIfNeeded: shard)), head)
        }
    }
}

/// The result of a committed transaction.
private struct Committed<Result: Sendable>: Sendable {
    /// The result of the body.
    let result: Result
    /// The kinds of the entries appended to the log.
    let kinds: [String]
    /// The entries appended to the audit log.
    let auditEntries: [AuditEntry]
}

/// The columns of a shard's row, except the deadline of the next turn, which the database computes from the turns.
struct ShardRow: Equatable {
    var head: Int64
    var journeys: Int
    var journeysTickedUntil: Timestamp
}

/// A transaction that holds a shard's lock.
///
/// Reads return the newest state; writes are collected and sent together before the commit.
///
/// The methods of an aggregate are in that aggregate's file.
public struct ShardTransaction {
    let connection: PostgresConnection
    /// The locked shard.
    public let shard: Shard
    /// The time of everything recorded in this transaction.
    public let now: Timestamp
    private let opened: ShardRow
    private(set) var row: ShardRow
    var parties: [PartyID: Party] = [:]
    var log = LogColumns()
    var adventures = AdventureColumns()
    var turns = TurnColumns()
    var writes: [PostgresQuery] = []
    var finalWrites: [PostgresQuery] = []
    var auditChanges: [AuditChange] = []
    /// The entries written to the audit log for the changes.
    var auditEntries: [AuditEntry] = []

    fileprivate init(connection: PostgresConnection, shard: Shard, now: Timestamp, row: PostgresRow) throws {
        let (head, journeys, tickedUntil) = try row.decode(Int64.self, Int32.self, PostgresTimestamp.self)
        let found = ShardRow(head: head, journeys: Int(journeys), journeysTickedUntil: Timestamp(tickedUntil))
        self.connection = connection
        self.shard = shard
        self.now = now
        self.row = found
        opened = found
    }

    /// The position of the newest log entry, including entries recorded in this transaction.
    public var head: Int64 { row.head }

    /// The changes recorded for the audit log in this transaction, in order.
    public var recordedAuditChanges: [AuditChange] { auditChanges }

    /// The number of running journeys in the shard.
    public internal(set) var journeys: Int {
        get { row.journeys }
        set { row.journeys = newValue }
    }

    /// The time up to which all due ticks of journeys have been played.
    public var journeysTickedUntil: Timestamp {
        get { row.journeysTickedUntil }
        set { row.journeysTickedUntil = newValue }
    }

    /// Assigns the next position of the log.
    mutating func nextPosition() -> Int64 {
        row.head += 1
        return row.head
    }

    /// Sends everything recorded in one round trip, after another one for the audit chain's head if needed.
    ///
    /// The order matters: rows before the rows that refer to them, updates of running adventures before their closing,
    /// and the shard's row last, because it is computed from the turns.
    fileprivate mutating func flush() async throws {
        var queries = writes + partyQueries()
        let updateIndex = queries.count
        queries += adventures.queries(shard: shard)
        queries += finalWrites
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

    /// Updates a shard's row by primary key, with the next deadline from the index on deadlines.
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

    /// Reads the newest position of each shard's log by primary key.
    static let heads = Statement(
        "shard.heads",
        "SELECT shard, head FROM shards WHERE shard = ANY ($1) ORDER BY shard"
    )
}
