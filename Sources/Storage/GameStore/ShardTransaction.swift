public import Encodings
public import GameCore
import Logging
import PostgresClient
import RangersMetrics

extension GameStore {
    /// The maximum number of adventures that a transaction closes.
    static let maxEnds = 200

    /// Locks a shard's row, closes the adventures that have ended, runs the body, writes the changes that it recorded,
    /// moves the shard's clock and commits, all in one transaction.
    ///
    /// The lock is exclusive: no other such transaction of the shard runs until the commit, so the log's positions are
    /// assigned without gaps and become visible in order. The call waits while another transaction holds the lock.
    /// The time comes from the store's clock after locking, and is later than the shard's clock, so that nothing is
    /// decided for a moment that readers have seen. If the body throws, nothing is written.
    /// - Throws: ``StoreError/newerShard(_:requires:)`` if this version does not know all that the shard needs; errors
    ///   of the body; `PostgresError`.
    public func withShard<Result: Sendable>(
        _ shard: Shard,
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result {
        let committed = try await pool.withTransaction { connection in
            guard var transaction = try await begin(ShardStatements.lock, shard, on: connection) else {
                throw StoreError.missingShard(shard)
            }
            return Committed(result: try await body(&transaction), transaction: try await transaction.flush())
        }
        didCommit(committed.transaction)
        return committed.result
    }

    /// Moves a shard's clock to the present, and closes the adventures that have ended by then.
    /// - Returns: what happened; nil if another transaction holds the lock.
    /// - Throws: as ``withShard(_:_:)``.
    public func moveClock(of shard: Shard) async throws -> ClockMove? {
        let moved: ShardTransaction? = try await pool.withTransaction { connection in
            var transaction = try await begin(ShardStatements.lockIfFree, shard, on: connection)
            return try await transaction?.flush()
        }
        guard let moved else { return nil }
        didCommit(moved)
        return ClockMove(
            lag: moved.opened.liveAdventures > 0 ? moved.row.clock - moved.opened.clock : .zero,
            outage: moved.outage?.duration,
            closed: moved.ends.map { ($0.adventure.kind, $0.adventure.tick) },
            hasMore: moved.hasMoreEnds
        )
    }

    /// Runs the body like ``withShard(_:_:)``, but discards everything that it records, so that a dry run is decided by
    /// the same code.
    public func dryRun<Result: Sendable>(
        in shard: Shard,
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result {
        try await pool.withTransaction { connection in
            guard var transaction = try await begin(ShardStatements.lock, shard, on: connection) else {
                throw StoreError.missingShard(shard)
            }
            return try await body(&transaction)
        }
    }

    /// Locks a shard's row and closes the adventures that have ended.
    /// - Returns: nil without a row.
    private func begin(_ lock: Statement, _ shard: Shard, on connection: PostgresConnection) async throws
        -> ShardTransaction?
    {
        let now = clock.now?()
        // In one round trip; the second statement sees what was committed while the first one waited.
        let results = try await connection.pipeline([
            PostgresQuery(lock, shard.column),
            PostgresQuery(AdventureStatements.dueEnds, shard.column, now?.postgres, Int64(Self.maxEnds)),
        ])
        guard let row = results[0].first else { return nil }
        let (head, databaseTime) = try ShardStatements.decode(row)
        guard head.isSupported else { throw StoreError.newerShard(shard, requires: head.requires) }
        // A manual clock may have advanced while the lock was waited for.
        let moment = clock.now?() ?? databaseTime
        var transaction = ShardTransaction(connection: connection, row: head, now: moment, clock: clock)
        try await transaction.closeEnded(results[1])
        transaction.hasMoreEnds = results[1].count == Self.maxEnds
        return transaction
    }

    /// Counts and logs what a transaction committed.
    private func didCommit(_ transaction: ShardTransaction) {
        metrics.committed(transaction.log.map(\.kind))
        for entry in transaction.auditEntries { entry.log(to: logger) }
        for note in transaction.notes { report(note) }
        if let outage = transaction.outage {
            metrics.outages.add()
            logger.warning(
                "the games of a shard stood still: nobody moved its clock",
                metadata: ["shard": "\(transaction.shard.rawValue)", "for": "\(outage.duration)"]
            )
        }
    }

    private func report(_ note: ShardTransaction.Note) {
        switch note {
        case .playableAgain(let id):
            logger.notice("an adventure can be played again", metadata: ["adventure": "\(id)"])
        case .prematureEnd(let id):
            metrics.faults.add()
            logger.error(
                "the stored end of an adventure was too early, and was corrected",
                metadata: ["adventure": "\(id)"]
            )
        case .unplayable(let id, let error):
            metrics.faults.add()
            logger.error(
                "an adventure cannot be played",
                metadata: ["adventure": "\(id)", "error": "\(error)"]
            )
        }
    }

    /// Returns the shards with live adventures whose clocks are due to be moved, in order.
    ///
    /// One query over 256 rows.
    /// - Parameter interval: how old the clock of a shard may be; twice that in shards with many adventures.
    /// - Returns: the shards, without those that need a newer version.
    /// - Throws: `PostgresError`.
    public func shardsDue(every interval: Duration) async throws -> [Shard] {
        let rows = try await pool.query(
            PostgresQuery(
                ShardStatements.due,
                clock.now?().postgres,
                interval.wholeMicroseconds,
                Int16(ShardHead.supportedVersion)
            )
        )
        return try rows.map { Shard(rawValue: UInt8(truncatingIfNeeded: try $0.decode(Int16.self))) }
    }

    /// Returns the rows of shards.
    public func heads(of shards: [Shard]) async throws -> [ShardHead] {
        try await pool.query(PostgresQuery(ShardStatements.heads, shards.map(\.column))).map {
            try ShardStatements.decode($0).0
        }
    }
}

/// What happened when a shard's clock was moved.
public struct ClockMove: Sendable {
    /// How old the clock was; zero if no adventure was live.
    public let lag: Duration
    /// How long the shard's games had stood still; nil without an outage.
    public let outage: Duration?
    /// The adventures that were closed, each with its kind and number of ticks.
    public let closed: [(kind: AdventureKind, ticks: Int)]
    /// Whether more adventures may have ended.
    public let hasMore: Bool
}

/// The result of a committed transaction.
private struct Committed<Result: Sendable>: Sendable {
    let result: Result
    let transaction: ShardTransaction
}

/// A transaction that holds a shard's lock.
///
/// Reads return the newest state; writes are collected and sent together before the commit.
///
/// The methods of an aggregate are in that aggregate's file.
public struct ShardTransaction: Sendable {
    let connection: PostgresConnection
    /// The moment of everything decided in this transaction.
    public let now: Timestamp
    /// The row as it was locked.
    let opened: ShardHead
    var row: ShardHead
    /// The outage that this transaction found: from when on and for how long the games stood still.
    private(set) var outage: (at: Timestamp, duration: Duration)?
    /// The parties that the transaction changes.
    var parties: [PartyID: Party] = [:]
    var partyChanges: [PartyID: PartyChanges] = [:]
    var log: [LogRow] = []
    /// The adventures that the transaction changes or closes.
    var adventures: [AdventureID: StoredAdventure] = [:]
    /// The ends that it records.
    var ends: [AdventureEnd] = []
    fileprivate(set) var hasMoreEnds = false
    var notes: [Note] = []
    var writes: [PostgresQuery] = []
    var finalWrites: [PostgresQuery] = []
    var auditChanges: [AuditChange] = []
    /// The entries written to the audit log for the changes.
    var auditEntries: [AuditEntry] = []

    /// Something wrong with one adventure, or no longer wrong.
    enum Note: Sendable {
        case playableAgain(AdventureID)
        case prematureEnd(AdventureID)
        case unplayable(AdventureID, StoreError)
    }

    fileprivate init(connection: PostgresConnection, row: ShardHead, now: Timestamp, clock: StoreClock) {
        self.connection = connection
        self.row = row
        opened = row
        self.now = max(now, row.clock + .microseconds(1))
        if let limit = clock.outageLimit, row.liveAdventures > 0, now - row.clock > limit {
            stop(for: now - row.clock)
        }
    }

    /// Notes that the shard's games stood still since its clock was moved.
    private mutating func stop(for duration: Duration) {
        outage = (row.clock, duration)
        append(.outage, of: nil, body: LogCoding.body(ofOutage: duration), at: row.clock)
        row.stoppedFor += duration
    }

    /// The locked shard.
    public var shard: Shard { row.shard }

    /// The position of the newest log entry, including entries recorded in this transaction.
    public var head: Int64 { row.head }

    /// The changes recorded for the audit log in this transaction, in order.
    public var recordedAuditChanges: [AuditChange] { auditChanges }

    /// Counts live adventures.
    mutating func count(_ change: Int, of kind: AdventureKind) {
        switch kind {
        case .journey: row.journeys += change
        case .bossFight: row.bossFights += change
        }
    }

    /// Sends everything recorded, the moved clock and COMMIT in one round trip, after another one for the audit chain's
    /// head if needed.
    ///
    /// The order matters: rows before the rows that refer to them, and the shard's row last.
    /// - Returns: the transaction as it was committed.
    fileprivate mutating func flush() async throws -> Self {
        row.clock = now
        var queries = writes + partyQueries() + finalWrites
        if !ends.isEmpty { queries.append(AdventureStatements.close(ends, in: shard)) }
        if !log.isEmpty { queries.append(LogStatements.append(log, to: shard)) }
        queries += try await auditQueries()
        queries.append(
            PostgresQuery(
                ShardStatements.move,
                shard.column,
                row.head,
                Int64(bitPattern: row.digest.value),
                row.clock.postgres,
                row.stoppedFor.wholeMicroseconds,
                Int32(row.journeys),
                Int32(row.bossFights),
                Int16(row.requires)
            )
        )
        _ = try await connection.pipeline(queries, committing: true)
        return self
    }
}

enum ShardStatements {
    private static let columns =
        "shard, head, digest, clock, stopped_for, journeys, boss_fights, requires, clock_timestamp()"

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

    /// Updates a shard's row by primary key.
    static let move = Statement(
        "shard.move",
        """
        UPDATE shards
        SET head = $2, digest = $3, clock = $4, stopped_for = $5, journeys = $6, boss_fights = $7, requires = $8
        WHERE shard = $1
        """
    )

    /// Finds the shards whose clocks are to be moved, over the 256 rows of the table.
    static let due = Statement(
        "shard.due",
        """
        SELECT shard
        FROM shards
        WHERE journeys + boss_fights > 0 AND requires <= $3
            AND clock <= coalesce($1, clock_timestamp())
                - $2 * CASE WHEN journeys + boss_fights > 1000 THEN 2 ELSE 1 END * interval '1 microsecond'
        ORDER BY shard
        """
    )

    /// Reads shards by primary key.
    static let heads = Statement(
        "shard.heads",
        "SELECT \(columns) FROM shards WHERE shard = ANY ($1) ORDER BY shard"
    )

    /// Decodes a shard's row, and the database's clock.
    static func decode(_ row: PostgresRow) throws -> (ShardHead, Timestamp) {
        let (shard, head, digest, clock, stoppedFor, journeys, bossFights, requires, now) = try row.decode(
            Int16.self,
            Int64.self,
            Int64.self,
            PostgresTimestamp.self,
            Int64.self,
            Int32.self,
            Int32.self,
            Int16.self,
            PostgresTimestamp.self
        )
        let found = ShardHead(
            shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)),
            head: head,
            digest: LogDigest(value: UInt64(bitPattern: digest)),
            clock: Timestamp(clock),
            stoppedFor: .microseconds(stoppedFor),
            journeys: Int(journeys),
            bossFights: Int(bossFights),
            requires: Int(requires)
        )
        return (found, Timestamp(now))
    }
}
