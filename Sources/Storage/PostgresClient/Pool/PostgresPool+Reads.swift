import Synchronization

extension PostgresPool {
    typealias Reads = ReadQueue<[PostgresQuery]>
    typealias ReadResult = Result<[PostgresRows], PostgresError>

    /// The queued reads and the callers that wait for them.
    struct ReadState {
        var queue: Reads
        var calls: [Reads.Ticket: OneShot<ReadResult>] = [:]
    }

    /// Runs read-only statements, sharing a round trip with the concurrent reads of other callers.
    ///
    /// A busy node sends many small queries, for which the fixed cost of a round trip (waking threads, polling sockets)
    /// exceeds the cost of their results. Reads that arrive while a round trip is in flight therefore wait for it and
    /// share the next one; if many wait, another round trip starts, up to ``Configuration/maxConcurrentReads``. Each
    /// statement is a transaction of its own or shares one with its neighbours, so the statements must neither write
    /// nor lock, and must not rely on a common snapshot. A cancelled caller stops waiting; a round trip in flight runs
    /// to its end, within ``Configuration/statementTimeout``.
    /// - Parameter queries: the statements, in order.
    /// - Returns: the rows of each statement.
    /// - Throws: ``PostgresError`` of these statements: if other statements of the round trip fail, these are repeated
    ///   on their own.
    public func read(_ queries: [PostgresQuery]) async throws(PostgresError) -> [PostgresRows] {
        let call = OneShot<ReadResult>()
        let (ticket, needsSender) = reads.withLock { reads in
            let (ticket, needsSender) = reads.queue.add(queries)
            reads.calls[ticket] = call
            return (ticket, needsSender)
        }
        if needsSender { send() }
        return try await withTaskCancellationHandler {
            await call.value
        } onCancel: {
            reads.withLock { $0.queue.abandon(ticket) }
            deliver(ticket, .failure(.cancelled(statement: queries.first?.statement.name)))
        }.get()
    }

    /// Sends queued reads in a separate task, so that the cancellation of one caller does not affect the others.
    fileprivate func send() {
        // Starts immediately, because borrowing an idle connection does not suspend.
        Task.immediate {
            do throws(PostgresError) {
                await (try await borrow()).serve(self)
            } catch {
                while let batch = nextBatch() { fail(batch, error) }
            }
        }
    }

    /// Returns the next batch to send; nil if no read is waiting.
    fileprivate func nextBatch() -> Reads.Batch? { reads.withLock { $0.queue.next() } }

    fileprivate func succeed(_ batch: Reads.Batch, _ rows: [PostgresRows]) {
        var rows = rows[...]
        for (ticket, queries) in batch {
            deliver(ticket, .success(Array(rows.prefix(queries.count))))
            rows = rows.dropFirst(queries.count)
        }
    }

    fileprivate func fail(_ batch: Reads.Batch, _ error: PostgresError) {
        for (ticket, _) in batch { deliver(ticket, .failure(error)) }
    }

    /// Delivers a result to its caller, unless the caller has a result already.
    private func deliver(_ ticket: Reads.Ticket, _ result: ReadResult) {
        reads.withLock { $0.calls.removeValue(forKey: ticket) }?.fulfil(result)
    }
}

extension PostgresSession {
    /// The number of batches served per borrowed connection, so that other requests for a connection get their turn.
    private static let batchesInARow = 16

    /// Serves the queued reads of a pool without leaving the session's thread, and then returns the session to the
    /// pool.
    fileprivate func serve(_ pool: PostgresPool) {
        let lease = ConnectionLease(isTransaction: false)
        var hasMore = true
        var served = 0
        while hasMore, served < Self.batchesInARow, lease.with({ $0.status }) == .idle {
            if let batch = pool.nextBatch() {
                serve(batch, of: pool, for: lease)
                served += 1
            } else {
                hasMore = false
            }
        }
        lease.with { $0.end() }
        pool.release(lease.with { $0.status } == .idle ? self : nil)
        if hasMore { pool.send() }
    }

    /// Sends a batch and delivers its results.
    ///
    /// If the server rejects one of the statements, each caller's statements are repeated on their own.
    private func serve(_ batch: PostgresPool.Reads.Batch, of pool: PostgresPool, for lease: ConnectionLease) {
        let result = run(
            .pipeline(batch.flatMap(\.read), committing: false),
            for: lease,
            timeLimit: pool.configuration.statementTimeout,
            cancellation: CancellationFlag(waking: poller)
        )
        switch result {
        case .success(let rows): pool.succeed(batch, rows)
        case .failure(.server) where batch.count > 1: for read in batch { serve([read], of: pool, for: lease) }
        case .failure(let error): pool.fail(batch, error)
        }
    }
}
