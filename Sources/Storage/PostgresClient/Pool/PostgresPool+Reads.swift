import Synchronization

extension PostgresPool {
    typealias Reads = ReadQueue<[PostgresQuery]>
    typealias ReadResult = Result<[PostgresRows], PostgresError>

    /// Who reads, and who waits for what.
    struct ReadState {
        var queue: Reads
        var calls: [Reads.Ticket: OneShot<ReadResult>] = [:]
    }

    /// Runs statements that only read, in one round trip together with what others read at the same moment.
    ///
    /// A busy node asks small questions all the time, and a round trip costs both sides more than the answer: threads that
    /// wake, sockets that are polled. So reads that come while ``Configuration/readBatches`` round trips are under way
    /// wait for one of them, and share the next. Each statement is a transaction of its own or shares one with its
    /// neighbours, so they must neither write nor lock, and must not count on seeing the same snapshot. Who is cancelled
    /// waits no longer; what is under way then runs to its end, within ``Configuration/statementTimeout``.
    /// - Parameter queries: what to run, in order.
    /// - Returns: the rows of each.
    /// - Throws: ``PostgresError`` of these statements: when others of the round trip fail, these are run again by
    ///   themselves.
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
            answer(ticket, .failure(.cancelled(statement: queries.first?.statement.name)))
        }.get()
    }

    /// Sends what waits; in a task of its own, since who is cancelled must not take the others along.
    fileprivate func send() {
        // Begins at once: to find a connection that is idle takes no waiting.
        Task.immediate {
            do throws(PostgresError) {
                await (try await borrow()).serve(self)
            } catch {
                while let batch = nextBatch() { fail(batch, error) }
            }
        }
    }

    /// What is to be sent now; nil when nobody waits.
    fileprivate func nextBatch() -> Reads.Batch? { reads.withLock { $0.queue.next() } }

    fileprivate func succeed(_ batch: Reads.Batch, _ rows: [PostgresRows]) {
        var rows = rows[...]
        for (ticket, queries) in batch {
            answer(ticket, .success(Array(rows.prefix(queries.count))))
            rows = rows.dropFirst(queries.count)
        }
    }

    fileprivate func fail(_ batch: Reads.Batch, _ error: PostgresError) {
        for (ticket, _) in batch { answer(ticket, .failure(error)) }
    }

    /// Tells a caller, unless the caller has been told already.
    private func answer(_ ticket: Reads.Ticket, _ result: ReadResult) {
        reads.withLock { $0.calls.removeValue(forKey: ticket) }?.fulfil(result)
    }
}

extension Session {
    /// How many batches one borrowing serves, so that others who wait for a connection get their turn.
    private static let batchesInARow = 16

    /// Serves the reads of a pool until nobody waits, without leaving the session's thread, and then gives itself back.
    fileprivate func serve(_ pool: PostgresPool) {
        let lease = Lease(isTransaction: false)
        var hasMore = true
        var served = 0
        while hasMore, served < Self.batchesInARow, lease.with({ $0.standing }) == .idle {
            if let batch = pool.nextBatch() {
                serve(batch, of: pool, for: lease)
                served += 1
            } else {
                hasMore = false
            }
        }
        lease.with { $0.end() }
        pool.giveBack(lease.with { $0.standing } == .idle ? self : nil)
        if hasMore { pool.send() }
    }

    /// Sends a batch, and tells its callers.
    ///
    /// When it fails because of one of them, the others are served by themselves.
    private func serve(_ batch: PostgresPool.Reads.Batch, of pool: PostgresPool, for lease: Lease) {
        let result = run(
            .pipeline(batch.flatMap(\.read), committing: false),
            for: lease,
            timeLimit: pool.configuration.statementTimeout,
            interruption: Interruption(waking: wakeUp)
        )
        switch result {
        case .success(let rows): pool.succeed(batch, rows)
        case .failure(.server) where batch.count > 1: for one in batch { serve([one], of: pool, for: lease) }
        case .failure(let error): pool.fail(batch, error)
        }
    }
}
