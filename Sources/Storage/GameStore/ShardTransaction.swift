public import Encodings
public import GameCore
public import GameLog
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
    /// The time comes from the store's clock, but is a microsecond later than the shard's clock at least, so that nothing is
    /// decided for a moment that readers have seen: PostgreSQL reads its clock before it waits for the lock, and again
    /// only if the row was changed meanwhile. If the body throws, nothing that it recorded is written; the clock is
    /// moved nevertheless if it is due, since engines do not wait for the lock, and many refused commands would keep
    /// them from moving it.
    /// - Throws: ``StoreError/shardBusy(_:)`` if another session holds the lock for too long;
    ///   ``StoreError/newerShard(_:requires:)`` if this version does not know all that the shard needs; errors of the
    ///   body; `PostgresError`.
    public func withShard<Result: Sendable>(
        _ shard: Shard,
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result {
        let committed: Committed<Swift.Result<Result, any Error>> = try await withTurn(in: shard) { connection, turn in
            guard let begun = try await begin(ShardStatements.lock, shard, on: connection, turn) else {
                throw StoreError.missingShard(shard)
            }
            var transaction = begun
            do {
                let result = try await body(&transaction)
                return Committed(result: .success(result), transaction: try await transaction.flush())
            } catch {
                guard begun.isDue, !(error is PostgresError || error is CancellationError) else { throw error }
                transaction = begun
                return Committed(result: .failure(error), transaction: try await transaction.flush())
            }
        }
        didCommit(committed.transaction)
        return try committed.result.get()
    }

    /// Runs the body under the lock of the shard that has the audit log of operators, and writes the changes that it
    /// recorded in one transaction.
    ///
    /// Operators do not concern the game, so no adventure is closed and no clock moves; the call also works if the shard
    /// needs a newer version.
    /// - Throws: errors of the body; `PostgresError`.
    func withAuditLog<Result: Sendable>(
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result {
        let shard = Shard.forOperators
        let committed = try await withTurn(in: shard) { connection, turn in
            turn.begin()
            let rows = try await connection.pipeline(
                ShardStatements.limits + [PostgresQuery(ShardStatements.lock, shard.column)]
            )
            turn.locked()
            guard let row = rows.last?.first else { throw StoreError.missingShard(shard) }
            let (head, databaseTime) = try ShardStatements.decode(row, knowing: version)
            let moment = clock.now?() ?? databaseTime
            var transaction = ShardTransaction(
                connection: connection,
                timelines: timelines,
                row: head,
                now: moment,
                clock: .manual { moment }
            )
            let result = try await body(&transaction)
            return Committed(result: result, transaction: try await transaction.flush(movingClock: false))
        }
        didCommit(committed.transaction)
        return committed.result
    }

    /// Moves a shard's clock to the present, and closes the adventures that have ended by then.
    /// - Returns: what happened; nil if another transaction holds the lock.
    /// - Throws: as ``withShard(_:_:)``.
    public func moveClock(of shard: Shard) async throws -> ClockMove? {
        try await pool.withTransaction { connection in
            try await flush(begin(ShardStatements.lockIfFree, shard, on: connection))
        }.map(move)
    }

    /// Moves the clock of a shard, unless another engine has moved it since it was found due.
    private func moveDueClock(of due: DueShard) async throws -> ClockMove? {
        let moved: ShardTransaction?
        if due.isOverdue {
            moved = try await withTurn(in: due.shard, isUrgent: true) { connection, turn in
                try await flushIfDue(begin(ShardStatements.lock, due.shard, on: connection, turn))
            }
        } else {
            moved = try await pool.withTransaction { connection in
                try await flushIfDue(begin(ShardStatements.lockIfFree, due.shard, on: connection))
            }
        }
        return moved.map(move)
    }

    private func flushIfDue(_ begun: ShardTransaction?) async throws -> ShardTransaction? {
        try await flush(begun.flatMap { $0.isDue ? $0 : nil })
    }

    /// Writes the rounds of raids that are over, and commits.
    private func flush(_ begun: ShardTransaction?) async throws -> ShardTransaction? {
        guard var transaction = begun else { return nil }
        guard transaction.hasDueRounds else { return try await transaction.flush() }
        let fights = try await transaction.playRaids(raidFollowers.take(transaction.shard))
        let flushed = try await transaction.flush()
        raidFollowers.keep(fights, of: transaction.shard)
        return flushed
    }

    private func move(_ moved: ShardTransaction) -> ClockMove {
        didCommit(moved)
        return ClockMove(
            lag: moved.opened.dueAt.map { max(.zero, moved.now - $0) } ?? .zero,
            outage: moved.outage?.duration,
            closed: moved.ends.map { ($0.adventure.kind, $0.adventure.tick) },
            hasMore: moved.hasMoreEnds
        )
    }

    /// Moves a clock that is due: with one statement if only ticks are due, else as ``moveClock(of:)-(Shard)`` does.
    /// - Returns: what happened; nil if another transaction has moved the clock, or holds the lock. The call waits for
    ///   the lock if the clock is overdue.
    /// - Throws: as ``withShard(_:_:)``.
    public func moveClock(of due: DueShard) async throws -> ClockMove? {
        guard due.isTicking, !due.isOverdue else { return try await moveDueClock(of: due) }
        let query = PostgresQuery(
            ShardStatements.tick,
            due.shard.column,
            due.clock.postgres,
            due.moment.postgres,
            clock.now?().postgres
        )
        guard try await pool.query(query).affectedRows == 1 else { return nil }
        queue.noteProgress(in: due.shard)
        return ClockMove(lag: due.lag, outage: nil, closed: [], hasMore: false)
    }

    /// Runs the body like ``withShard(_:_:)``, but discards everything that it records, so that a dry run is decided by
    /// the same code.
    public func dryRun<Result: Sendable>(
        in shard: Shard,
        _ body: (inout ShardTransaction) async throws -> Result
    ) async throws -> Result {
        try await withTurn(in: shard) { connection, turn in
            guard var transaction = try await begin(ShardStatements.lock, shard, on: connection, turn) else {
                throw StoreError.missingShard(shard)
            }
            return try await body(&transaction)
        }
    }

    /// Runs a transaction that waits for a shard's lock, once no more than another one of this node does.
    private func withTurn<Result: Sendable>(
        in shard: Shard,
        isUrgent: Bool = false,
        _ body: (PostgresConnection, ShardQueue.Turn) async throws -> Result
    ) async throws -> Result {
        do {
            return try await queue.withTurn(in: shard, isUrgent: isUrgent) { turn in
                try await pool.withTransaction { try await body($0, turn) }
            }
        } catch StoreError.shardBusy(let shard) {
            metrics.busyShards.add()
            throw StoreError.shardBusy(shard)
        }
    }

    /// Locks a shard's row and closes the adventures that have ended.
    /// - Returns: nil without a row.
    private func begin(
        _ lock: Statement,
        _ shard: Shard,
        on connection: PostgresConnection,
        _ turn: ShardQueue.Turn? = nil
    ) async throws -> ShardTransaction? {
        let now = clock.now?()
        turn?.begin()
        // In one round trip; the last statement sees what was committed while the one before waited.
        let results = try await connection.pipeline(
            ShardStatements.limits + [
                PostgresQuery(lock, shard.column),
                PostgresQuery(AdventureStatements.dueEnds, shard.column, now?.postgres, Int64(Self.maxEnds)),
            ]
        ).suffix(2)
        guard let row = results.first?.first, let ends = results.last else { return nil }
        if let turn { turn.locked() } else { queue.noteProgress(in: shard) }
        let (head, databaseTime) = try ShardStatements.decode(row, knowing: version)
        guard head.isSupported else { throw StoreError.newerShard(shard, requires: head.requires) }
        // A manual clock may have advanced while the lock was waited for.
        let moment = clock.now?() ?? databaseTime
        var transaction = ShardTransaction(
            connection: connection,
            timelines: timelines,
            row: try await repaired(head, at: moment, on: connection),
            now: moment,
            clock: clock
        )
        try transaction.closeEnded(ends)
        transaction.hasMoreEnds = ends.count == Self.maxEnds
        return transaction
    }

    /// Returns the row of a shard with its clock moved to its newest entry if it was set back before that.
    ///
    /// It would otherwise count as an outage before that entry. Only a gap like an outage's is looked at.
    private func repaired(_ row: ShardHead, at now: Timestamp, on connection: PostgresConnection) async throws
        -> ShardHead
    {
        guard clock.isOutage(now - row.clock, of: row) else { return row }
        let rows = try await connection.query(PostgresQuery(LogStatements.moment, row.shard.column, row.head))
        guard let newest = try rows.first.map({ Timestamp(try $0.decode(PostgresTimestamp.self)) }), newest > row.clock
        else { return row }
        logger.error(
            "the clock of a shard was before its newest log entry, and was corrected",
            metadata: ["shard": "\(row.shard.rawValue)", "by": "\(newest - row.clock)"]
        )
        var row = row
        row.clock = newest
        return row
    }

    /// Counts and logs what a transaction committed.
    private func didCommit(_ transaction: ShardTransaction) {
        metrics.committed(transaction.log.map(\.kind))
        for entry in transaction.auditEntries { entry.log(to: logger) }
        for note in transaction.notes { report(note) }
        if setbacks.isNew(transaction.shard, by: transaction.setback) {
            logger.error(
                "the database's clock was set back: the games of a shard stand still until it has caught up",
                metadata: ["shard": "\(transaction.shard.rawValue)", "by": "\(transaction.setback)"]
            )
        }
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
        case .lateEnd(let id):
            reportLateEnd(of: id)
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

    /// Returns the shards whose clocks are due to be moved, in order.
    ///
    /// One query over 256 rows, and a look at the ends of the shards that are due.
    /// - Parameter horizon: how long from now on a clock may be due at the latest.
    /// - Returns: the shards, without those that need a newer version, and those of machines that do not respond.
    /// - Throws: `PostgresError`.
    public func dueShards(within horizon: Duration = .zero) async throws -> [DueShard] {
        let now = clock.now?().postgres
        let (version, limit) = (Int16(version.rawValue), clock.outageLimit?.wholeMicroseconds)
        let rows = try await rows(of: Shard.all) { shards in
            shards.count == Shard.all.count
                ? PostgresQuery(ShardStatements.due, now, version, limit, horizon.wholeMicroseconds)
                : PostgresQuery(
                    ShardStatements.dueAmong,
                    now,
                    version,
                    limit,
                    horizon.wholeMicroseconds,
                    shards.map(\.column)
                )
        }
        return try rows.map { row in
            let (shard, clock, now, dueAfter, isTicking) = try row.decode(
                Int16.self,
                PostgresTimestamp.self,
                PostgresTimestamp.self,
                Int64.self,
                Bool.self
            )
            return DueShard(
                shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)),
                clock: Timestamp(clock),
                now: Timestamp(now),
                dueAt: Timestamp(clock) + .microseconds(dueAfter),
                isTicking: isTicking
            )
        }
    }

    /// Returns the rows of shards.
    /// - Parameter shards: the shards.
    /// - Returns: a row for each shard, in their order, without those of machines that do not respond.
    /// - Throws: `PostgresError`.
    public func heads(of shards: [Shard]) async throws -> [ShardHead] {
        try await heads(of: shards) { PostgresQuery(ShardStatements.heads, $0.map(\.column)) }
    }

    /// Returns those rows of shards whose clock or log is not the one that is known.
    ///
    /// Every transaction that decides something moves the clock, so nothing has happened in the other shards.
    /// - Parameters:
    ///   - shards: the shards.
    ///   - known: the rows that are known; a shard without one is always returned.
    /// - Returns: the rows, in the order of their shards, without those of machines that do not respond.
    /// - Throws: `PostgresError`.
    public func heads(of shards: [Shard], otherThan known: [Shard: ShardHead]) async throws -> [ShardHead] {
        try await heads(of: shards) { shards in
            PostgresQuery(
                ShardStatements.moved,
                shards.map(\.column),
                shards.map { known[$0]?.clock.postgres },
                shards.map { known[$0].map { Int64(bitPattern: $0.digest.value) } }
            )
        }
    }

    private func heads(of shards: [Shard], _ query: ([Shard]) -> PostgresQuery) async throws -> [ShardHead] {
        try await rows(of: shards, query).map { try ShardStatements.decode($0, knowing: version).0 }
    }
}

/// A shard whose clock is due to be moved, now or soon.
public struct DueShard: Sendable, Hashable {
    /// The shard.
    public let shard: Shard
    /// The shard's clock.
    let clock: Timestamp
    /// The moment of the poll.
    let now: Timestamp
    /// When the clock is due to be moved.
    let dueAt: Timestamp
    /// Whether only ticks are due: no end is to be recorded, and there was no outage.
    public let isTicking: Bool
    /// Whether the engine has found the lock taken so often that it waits for it now.
    package var isOverdue = false

    /// The moment to which the clock may be moved.
    var moment: Timestamp { max(now, dueAt) }
    /// How long after the poll the clock is due.
    package var wait: Duration { max(.zero, dueAt - now) }
    /// How long the clock was due at the poll.
    var lag: Duration { max(.zero, now - dueAt) }
}

/// What happened when a shard's clock was moved.
public struct ClockMove: Sendable {
    /// How long the move was due; zero if no adventure was live.
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
    let timelines: TimelineCache
    /// The moment of everything decided in this transaction.
    public let now: Timestamp
    /// How far the clock that decides was behind the shard's; not more than zero unless it was set back.
    let setback: Duration
    /// The row as it was locked.
    let opened: ShardHead
    var row: ShardHead
    /// The outage that this transaction found: from when on and for how long the games stood still.
    private(set) var outage: (at: Timestamp, duration: Duration)?
    /// The parties that the transaction changes.
    var parties: [PartyID: Party] = [:]
    /// Those of them whose members change.
    var partiesWithNewMembers: Set<PartyID> = []
    var log: [LogRow] = []
    /// The adventures that the transaction changes or closes.
    var adventures: [AdventureID: StoredAdventure] = [:]
    /// The ends that it records.
    var ends: [AdventureEnd] = []
    var hasMoreEnds = false
    var notes: [Note] = []
    var writes: [PostgresQuery] = []
    var finalWrites: [PostgresQuery] = []
    var auditChanges: [AuditChange] = []
    /// The entries written to the audit log for the changes.
    var auditEntries: [AuditEntry] = []

    /// Something wrong with one adventure, or no longer wrong.
    enum Note: Sendable {
        case playableAgain(AdventureID)
        case lateEnd(AdventureID)
        case prematureEnd(AdventureID)
        case unplayable(AdventureID, StoreError)
    }

    fileprivate init(
        connection: PostgresConnection,
        timelines: TimelineCache,
        row: ShardHead,
        now: Timestamp,
        clock: StoreClock
    ) {
        self.connection = connection
        self.timelines = timelines
        self.row = row
        opened = row
        setback = row.clock - now
        self.now = max(now, row.clock + .microseconds(1))
        if clock.isOutage(now - row.clock, of: row) { stop(for: now - row.clock) }
    }

    /// Notes that the shard's games stood still since its clock was moved.
    private mutating func stop(for duration: Duration) {
        outage = (row.clock, duration)
        append(.outage, of: nil, body: LogCoding.body(ofOutage: duration), at: row.clock)
        row.stoppedFor += duration
    }

    /// Whether an engine is to move the shard's clock by now.
    fileprivate var isDue: Bool { opened.dueAt.map { $0 <= now } ?? false }

    /// The locked shard.
    public var shard: Shard { row.shard }

    /// The position of the newest log entry, including entries recorded in this transaction.
    public var head: Int64 { row.head }

    /// The changes recorded for the audit log in this transaction, in order.
    public var recordedAuditChanges: [AuditChange] { auditChanges }

    /// Requires that nodes know a version to work on the shard from now on.
    mutating func require(_ version: RulesVersion?) { row.requires = max(row.requires, version?.rawValue ?? 0) }

    /// Counts live adventures.
    mutating func count(_ change: Int, of kind: AdventureKind) {
        switch kind {
        case .journey: row.journeys += change
        case .bossFight: row.bossFights += change
        case .raid: row.raids += change
        }
    }

    /// Sends everything recorded, the moved clock and COMMIT in one round trip, after another one for the audit chain's
    /// head if needed.
    ///
    /// The order matters: rows before the rows that refer to them, and the shard's row last.
    /// - Returns: the transaction as it was committed.
    fileprivate mutating func flush(movingClock: Bool = true) async throws -> Self {
        row.clock = now
        // Parties come after the ends: what the body changed in them follows on the ends.
        var queries = writes
        if !ends.isEmpty { queries += AdventureStatements.close(ends, in: shard) }
        queries += partyQueries() + finalWrites
        if !log.isEmpty { queries.append(LogStatements.append(log, to: shard)) }
        queries += try await auditQueries()
        if movingClock { queries.append(ShardStatements.move(row, isDueAgain: hasMoreEnds)) }
        _ = try await connection.pipeline(queries, committing: true)
        return self
    }
}
