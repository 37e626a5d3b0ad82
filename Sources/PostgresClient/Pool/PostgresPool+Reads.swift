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
        let (ticket, batch) = reads.withLock { reads in
            let (ticket, batch) = reads.queue.add(queries)
            reads.calls[ticket] = call
            return (ticket, batch)
        }
        // In a task of its own: who is cancelled must not take the others along.
        if let batch { Task { await self.send(batch) } }
        return try await withTaskCancellationHandler {
            await call.value
        } onCancel: {
            reads.withLock { $0.queue.abandon(ticket) }
            answer(ticket, .failure(.cancelled(statement: queries.first?.statement.name)))
        }.get()
    }

    /// Sends a batch, and then what has come meanwhile.
    private func send(_ first: Reads.Batch) async {
        var next: Reads.Batch? = first
        while let batch = next {
            await run(batch)
            next = reads.withLock { $0.queue.answered() }
        }
    }

    private func run(_ batch: Reads.Batch) async {
        switch await result(of: batch.flatMap(\.read)) {
        case .success(let rows):
            var rows = rows[...]
            for (ticket, queries) in batch {
                answer(ticket, .success(Array(rows.prefix(queries.count))))
                rows = rows.dropFirst(queries.count)
            }
        case .failure(.server) where batch.count > 1:
            for (ticket, queries) in batch { answer(ticket, await result(of: queries)) }
        case .failure(let error):
            for (ticket, _) in batch { answer(ticket, .failure(error)) }
        }
    }

    private func result(of queries: [PostgresQuery]) async -> ReadResult {
        do {
            return .success(try await withConnection { try await $0.pipeline(queries) })
        } catch let error as PostgresError {
            return .failure(error)
        } catch {
            preconditionFailure("a pool throws errors of PostgreSQL only: \(error)")
        }
    }

    /// Tells a caller, unless the caller has been told already.
    private func answer(_ ticket: Reads.Ticket, _ result: ReadResult) {
        reads.withLock { $0.calls.removeValue(forKey: ticket) }?.fulfil(result)
    }
}
