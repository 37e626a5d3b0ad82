import PostgresClient
import Testing

private struct Refused: Error {}

@Suite struct TransactionTests {
    private let insert = PostgresQuery(Statement("t.insert", "INSERT INTO t VALUES (1)"))
    private let count = PostgresQuery(Statement("t.count", "SELECT count(*) FROM t"))

    /// Creates a table and a pool of one connection, so that each transaction sees the effects of the previous one on
    /// the connection.
    private func makeTable(_ definition: String = "n integer") async throws -> PostgresPool {
        let pool = try await makePool { $0.maximumConnections = 1 }
        try await pool.withConnection { try await $0.script("CREATE TABLE t (\(definition))") }
        return pool
    }

    private func rows(in pool: PostgresPool) async throws -> Int {
        try await pool.query(count)[0].decode(Int.self)
    }

    private func backend(_ pool: PostgresPool) async throws -> Int32 {
        try await pool.query(PostgresQuery("SELECT pg_backend_pid()"))[0].decode(Int32.self)
    }

    @Test func `a transaction is committed when its closure returns`() async throws {
        let pool = try await makeTable()
        let seen = try await pool.withTransaction { connection in
            _ = try await connection.query(insert)
            _ = try await connection.query(insert)
            return try await connection.query(count)[0].decode(Int.self)
        }
        #expect(seen == 2)
        #expect(try await rows(in: pool) == 2)
    }

    @Test func `all statements of a transaction see one time, because BEGIN precedes the first statement`()
        async throws
    {
        let pool = try await makeTable()
        try await pool.withTransaction { connection in
            let now = PostgresQuery("SELECT now()")
            let first = try await connection.query(now)[0].decode(PostgresTimestamp.self)
            _ = try await connection.query(PostgresQuery("SELECT pg_sleep(0.01)"))
            #expect(try await connection.query(now)[0].decode(PostgresTimestamp.self) == first)
        }
    }

    @Test func `a transaction is rolled back when its closure throws`() async throws {
        let pool = try await makeTable()
        let backend = try await backend(pool)
        await #expect(throws: Refused.self) {
            try await pool.withTransaction { connection in
                _ = try await connection.query(insert)
                throw Refused()
            }
        }
        #expect(try await rows(in: pool) == 0)
        #expect(try await self.backend(pool) == backend)
    }

    @Test func `a transaction is rolled back when a statement fails`() async throws {
        let pool = try await makeTable()
        let error = try await serverError {
            try await pool.withTransaction { connection in
                _ = try await connection.query(insert)
                _ = try await connection.query(PostgresQuery("SELECT 1 / 0"))
            }
        }
        #expect(error.state.rawValue == "22012")
        #expect(try await rows(in: pool) == 0)
    }

    @Test func `an error ignored by the closure is reported at the end`() async throws {
        let pool = try await makeTable()
        let error = try await serverError {
            try await pool.withTransaction { connection in
                _ = try await connection.query(insert)
                _ = try? await connection.query(PostgresQuery(Statement("bad", "SELECT 1 / 0")))
            }
        }
        #expect(error.statement == "bad")
        #expect(try await rows(in: pool) == 0)
    }

    @Test func `a rollback to the closure's own savepoint saves the transaction`() async throws {
        let pool = try await makeTable()
        try await pool.withTransaction { connection in
            _ = try await connection.query(insert)
            try await connection.script("SAVEPOINT s")
            _ = try? await connection.query(PostgresQuery("SELECT 1 / 0"))
            try await connection.script("ROLLBACK TO SAVEPOINT s")
        }
        #expect(try await rows(in: pool) == 1)
    }

    @Test func `a rollback to a savepoint in the round trip of COMMIT saves the transaction`() async throws {
        let pool = try await makeTable()
        try await pool.withTransaction { connection in
            _ = try await connection.query(insert)
            try await connection.script("SAVEPOINT s")
            _ = try? await connection.query(PostgresQuery("SELECT 1 / 0"))
            try await connection.pipeline([PostgresQuery("ROLLBACK TO SAVEPOINT s")], committing: true)
        }
        #expect(try await rows(in: pool) == 1)
    }

    @Test func `COMMIT after an ignored error rolls everything back and reports the error`() async throws {
        let pool = try await makeTable()
        let error = try await serverError {
            try await pool.withTransaction { connection in
                _ = try await connection.query(insert)
                _ = try? await connection.query(PostgresQuery(Statement("bad", "SELECT 1 / 0")))
                try await connection.pipeline([], committing: true)
            }
        }
        #expect(error.statement == "bad")
        #expect(try await rows(in: pool) == 0)
    }

    @Test func `a transaction whose task is cancelled is rolled back`() async throws {
        let pool = try await makeTable()
        let backend = try await backend(pool)
        let task = Task {
            try await pool.withTransaction { connection in
                _ = try await connection.query(insert)
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await connection.query(insert)
            }
        }
        await #expect(throws: PostgresError.cancelled(statement: nil)) { try await task.value }
        #expect(try await rows(in: pool) == 0)
        #expect(try await self.backend(pool) == backend)
    }

    @Test func `a transaction whose task is cancelled after its last statement is committed`() async throws {
        let pool = try await makeTable()
        let task = Task {
            try await pool.withTransaction { connection in
                _ = try await connection.query(insert)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        try await task.value
        #expect(try await rows(in: pool) == 1)
    }

    @Test(arguments: [false, true])
    func `a deferred constraint makes COMMIT fail`(committing: Bool) async throws {
        let pool = try await makeTable("n integer CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED")
        let error = try await serverError {
            try await pool.withTransaction { connection in
                try await connection.pipeline([insert, insert], committing: committing)
            }
        }
        #expect(error.isViolation(of: "once"))
        #expect(error.statement == "commit")
        #expect(try await rows(in: pool) == 0)
    }

    @Test func `a failed COMMIT ignored by the closure is reported at the end`() async throws {
        let pool = try await makeTable("n integer CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED")
        let error = try await serverError {
            try await pool.withTransaction { connection in
                _ = try? await connection.pipeline([insert, insert], committing: true)
            }
        }
        #expect(error.isViolation(of: "once"))
    }

    @Test func `BEGIN, statements and COMMIT are sent in one pipeline`() async throws {
        let pool = try await makeTable()
        let results = try await pool.withTransaction { connection in
            try await connection.pipeline([insert, count], committing: true)
        }
        #expect(results.count == 2)
        #expect(try results[1][0].decode(Int.self) == 1)
        #expect(try await rows(in: pool) == 1)
    }

    @Test func `no statement may follow a commit`() async throws {
        let pool = try await makeTable()
        await #expect(throws: PostgresError.closed) {
            try await pool.withTransaction { connection in
                try await connection.pipeline([insert], committing: true)
                _ = try await connection.query(insert)
            }
        }
        #expect(try await rows(in: pool) == 1)
    }

    @Test func `a transaction without statements sends nothing`() async throws {
        let pool = try await makeTable()
        #expect(try await pool.withTransaction { _ in 7 } == 7)
        #expect(try await pool.withTransaction { try await $0.pipeline([]).count } == 0)
        let commits = try await pool.query(
            PostgresQuery("SELECT count(*) FROM pg_prepared_statements WHERE name IN ('begin', 'commit')")
        )
        #expect(try commits[0].decode(Int.self) == 0)
    }

    @Test func `a transaction left open by a borrower is rolled back`() async throws {
        let pool = try await makeTable()
        try await pool.withConnection { connection in
            try await connection.script("BEGIN")
            _ = try await connection.query(insert)
        }
        #expect(try await rows(in: pool) == 0)
    }

    @Test func `concurrent statements belong to the transaction`() async throws {
        let pool = try await makeTable()
        await #expect(throws: Refused.self) {
            try await pool.withTransaction { connection in
                async let first = connection.query(insert)
                async let second = connection.query(insert)
                _ = try await (first, second)
                throw Refused()
            }
        }
        #expect(try await rows(in: pool) == 0)
    }

    @Test func `a connection cannot be used after its closure has returned`() async throws {
        let pool = try await makeTable()
        let escaped = try await pool.withConnection { $0 }
        await #expect(throws: PostgresError.closed) { try await escaped.query(count) }
    }

    @Test func `concurrent increments of one row are serialised or fail as retryable`() async throws {
        let pool = try await makePool()
        try await pool.withConnection { try await $0.script("CREATE TABLE c (n integer); INSERT INTO c VALUES (0)") }
        let update = PostgresQuery(Statement("c.add", "UPDATE c SET n = n + 1"))
        let first = AsyncStream.makeStream(of: Void.self)
        let second = AsyncStream.makeStream(of: Void.self)
        let begin = PostgresQuery("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        let read = PostgresQuery("SELECT n FROM c")
        let loser = Task {
            try await pool.withTransaction { connection in
                try await connection.pipeline([begin, read])
                first.continuation.finish()
                for await _ in second.stream {}
                _ = try await connection.query(update)
            }
        }
        for await _ in first.stream {}
        _ = try await pool.query(update)
        second.continuation.finish()
        let error = try await serverError { try await loser.value }
        #expect(error.state == .serializationFailure)
        #expect(PostgresError.server(error).isRetryable)
    }
}
