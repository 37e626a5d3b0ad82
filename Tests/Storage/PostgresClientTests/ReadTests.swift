import PostgresClient
import PrivatePostgres
import ServiceLifecycle
import Testing

/// Reads that share round trips.
@Suite struct ReadTests {
    private let sleep = PostgresQuery(Statement("sleep", "SELECT pg_sleep(60)"))

    private func double(_ number: Int32) -> PostgresQuery {
        PostgresQuery(Statement("double", "SELECT 2 * $1, pg_backend_pid()"), number)
    }

    /// Waits until the given number of the database's sessions execute `pg_sleep`.
    private func waitUntil(sleeping expected: Int, in pool: PostgresPool) async throws {
        let probe = PostgresQuery(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()
            """
        )
        while try await pool.query(probe)[0].decode(Int.self) != expected {}
    }

    @Test func `concurrent readers get their own rows over a limited number of connections`() async throws {
        let pool = try await makePool { $0.maxConcurrentReads = 2 }
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in Int32(0)..<300 {
                group.addTask {
                    let rows = try await pool.read([double(number), double(number + 1)])
                    #expect(rows.count == 2)
                    let (first, backend) = try rows[0][0].decode(Int32.self, Int32.self)
                    let (second, _) = try rows[1][0].decode(Int32.self, Int32.self)
                    #expect([first, second] == [2 * number, 2 * number + 2])
                    return backend
                }
            }
            let backends = try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
            #expect(backends.count <= 2)
        }
    }

    @Test func `an error is reported only to its own reader`() async throws {
        let pool = try await makePool { $0.maxConcurrentReads = 1 }
        let divide = Statement("divide", "SELECT 10 / $1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in Int32(0)..<100 {
                group.addTask {
                    let isWrong = number % 10 == 0
                    do {
                        let rows = try await pool.read([double(number), PostgresQuery(divide, isWrong ? 0 : number)])
                        #expect(!isWrong)
                        #expect(try rows[1][0].decode(Int32.self) == 10 / number)
                    } catch let PostgresError.server(error) {
                        #expect(isWrong)
                        #expect(error.statement == "divide")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a cancelled reader stops waiting, queued or in flight, and the others get their rows`() async throws {
        let uri = try await TestDatabases.make()
        var configuration = PostgresPool.Configuration.forTests(uri: uri, maximumConnections: 10)
        configuration.maxConcurrentReads = 1
        let pool = PostgresPool(configuration: configuration, logger: quiet)
        let observer = PostgresPool(configuration: .forTests(uri: uri, maximumConnections: 10), logger: quiet)
        let inFlight = Task { try await pool.read([sleep]) }
        try await waitUntil(sleeping: 1, in: observer)
        let waiting = Task { try await pool.read([double(1)]) }
        let patient = Task { try await pool.read([double(2)]) }
        for task in [inFlight, waiting] {
            task.cancel()
            await #expect(throws: PostgresError.self) { try await task.value }
        }
        // The abandoned statement ends, and the next batch is sent.
        let backend = PostgresQuery(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        )
        let sleeper = try await observer.query(backend)[0].decode(Int32.self)
        _ = try await observer.query(PostgresQuery("SELECT pg_cancel_backend($1)", sleeper))
        #expect(try await patient.value[0][0].decode(Int32.self, Int32.self).0 == 4)
    }

    @Test func `a closed pool refuses readers`() async throws {
        let pool = try await makePool()
        let run = Task { try await pool.run() }
        run.cancel()
        try await run.value
        await #expect(throws: PostgresError.closed) { _ = try await pool.read([double(1)]) }
    }
}
