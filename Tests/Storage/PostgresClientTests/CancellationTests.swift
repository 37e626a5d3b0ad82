import PostgresClient
import PrivatePostgres
import Testing

@Suite struct CancellationTests {
    /// Longer than any quick statement takes on a busy machine.
    private let timeLimit = Duration.seconds(1)
    private let sleep = PostgresQuery(Statement("sleep", "SELECT pg_sleep(60)"))

    /// Waits until the given number of the database's sessions execute `pg_sleep`.
    private func waitUntil(sleeping expected: Int, in pool: PostgresPool) async throws {
        let probe = PostgresQuery(
            Statement(
                "probe",
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()
                """
            )
        )
        while try await pool.query(probe)[0].decode(Int.self) != expected {}
    }

    @Test func `cancelling a task stops its statement on the server and leaves the connection usable`() async throws {
        let uri = try await TestDatabases.make()
        let pool = PostgresPool(configuration: .init(uri: uri, maximumConnections: 1), logger: quiet)
        let observer = PostgresPool(configuration: .init(uri: uri), logger: quiet)
        let backend = PostgresQuery("SELECT pg_backend_pid()")
        let before = try await pool.query(backend)[0].decode(Int32.self)
        let task = Task { try await pool.query(sleep) }
        try await waitUntil(sleeping: 1, in: observer)
        task.cancel()
        await #expect(throws: PostgresError.cancelled(statement: "sleep")) { try await task.value }
        try await waitUntil(sleeping: 0, in: observer)
        #expect(try await pool.query(backend)[0].decode(Int32.self) == before)
    }

    @Test func `a task cancelled immediately neither hangs nor affects the next statement`() async throws {
        let pool = try await makePool { $0.maximumConnections = 1 }
        for _ in 0..<20 {
            let task = Task { try await pool.query(sleep) }
            task.cancel()
            await #expect(throws: PostgresError.self) { try await task.value }
            #expect(try await pool.query(PostgresQuery("SELECT 1"))[0].decode(Int32.self) == 1)
        }
    }

    @Test func `cancelling during a pipeline ends all of it`() async throws {
        let pool = try await makePool { $0.maximumConnections = 2 }
        try await pool.withConnection { try await $0.script("CREATE TABLE t (n integer)") }
        let insert = PostgresQuery(Statement("insert", "INSERT INTO t VALUES (1)"))
        let task = Task {
            try await pool.withTransaction { try await $0.pipeline([insert, sleep, insert], committing: true) }
        }
        try await waitUntil(sleeping: 1, in: pool)
        task.cancel()
        await #expect(throws: PostgresError.cancelled(statement: "sleep")) { try await task.value }
        #expect(try await pool.query(PostgresQuery("SELECT count(*) FROM t"))[0].decode(Int.self) == 0)
    }

    /// Creates two pools on one database.
    ///
    /// The first has the time limit of the tests.
    private func makePools() async throws -> (limited: PostgresPool, other: PostgresPool) {
        let uri = try await TestDatabases.make()
        let limited = PostgresPool.Configuration(uri: uri, maximumConnections: 1, statementTimeout: timeLimit)
        return (
            PostgresPool(configuration: limited, logger: quiet),
            PostgresPool(configuration: .init(uri: uri), logger: quiet)
        )
    }

    @Test func `a statement that exceeds its time limit is cancelled on the server`() async throws {
        let (pool, observer) = try await makePools()
        await #expect(throws: PostgresError.timedOut(statement: "sleep", after: timeLimit)) {
            _ = try await pool.query(sleep)
        }
        try await waitUntil(sleeping: 0, in: observer)
        #expect(try await pool.query(PostgresQuery("SELECT 1"))[0].decode(Int32.self) == 1)
    }

    @Test func `a statement that waits too long for a lock is cancelled and its transaction rolled back`() async throws
    {
        let (pool, other) = try await makePools()
        try await other.withConnection { try await $0.script("CREATE TABLE t (n integer); INSERT INTO t VALUES (1)") }
        let lock = PostgresQuery(Statement("lock", "SELECT n FROM t FOR UPDATE"))
        try await other.withTransaction { holder in
            _ = try await holder.query(lock)
            await #expect(throws: PostgresError.timedOut(statement: "lock", after: timeLimit)) {
                try await pool.withTransaction { _ = try await $0.query(lock) }
            }
        }
        #expect(try await pool.query(lock)[0].decode(Int32.self) == 1)
    }

    @Test func `the server's own timeout is reported as a server error`() async throws {
        let pool = try await makePool()
        let error = try await serverError {
            try await pool.withTransaction { connection in
                try await connection.script("SET LOCAL statement_timeout = 20")
                _ = try await connection.query(sleep)
            }
        }
        #expect(error.state == .queryCancelled)
    }
}
