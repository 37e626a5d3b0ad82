import PostgresClient
import PrivatePostgres
import Testing

/// Restarts of the server; each test has its own cluster.
@Suite struct RestartTests {
    private let one = PostgresQuery(Statement("one", "SELECT 1"))

    private func makePool(on cluster: PrivateCluster) -> PostgresPool {
        PostgresPool(configuration: .init(uri: cluster.uri(), maximumConnections: 3), logger: quiet)
    }

    @Test(arguments: [PrivateCluster.StopMode.fast, .immediate])
    func `idle connections are replaced after a restart without an error`(mode: PrivateCluster.StopMode) async throws {
        let cluster = try await PrivateCluster.start()
        let pool = makePool(on: cluster)
        try await pool.withConnection { _ = try await ($0.query(one), pool.query(one)) }
        try await cluster.restart(mode)
        for _ in 0..<3 {
            #expect(try await pool.query(one)[0].decode(Int32.self) == 1)
        }
        try await pool.withTransaction { _ = try await $0.query(one) }
    }

    @Test func `a connection in use fails during a restart, and the next transaction works`() async throws {
        let cluster = try await PrivateCluster.start()
        let pool = makePool(on: cluster)
        try await pool.withConnection { try await $0.script("CREATE TABLE t (n integer)") }
        do {
            try await pool.withTransaction { connection in
                _ = try await connection.query(PostgresQuery(Statement("insert", "INSERT INTO t VALUES (1)")))
                try await cluster.restart()
                _ = try await connection.query(one)
            }
            Issue.record("the transaction survived the restart")
        } catch PostgresError.connectionLost(let statement, let reason) {
            #expect(statement == "one")
            #expect(reason.contains("closed the connection") || reason.contains("terminating connection"))
        }
        let count = try await pool.withTransaction { connection in
            try await connection.query(PostgresQuery("SELECT count(*) FROM t"))[0].decode(Int.self)
        }
        #expect(count == 0)
    }

    @Test func `a statement in flight fails when the server crashes`() async throws {
        let cluster = try await PrivateCluster.start()
        let pool = makePool(on: cluster)
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await pool.withTransaction { connection in
                _ = try await connection.query(one)
                continuation.finish()
                _ = try await connection.query(PostgresQuery(Statement("sleep", "SELECT pg_sleep(60)")))
            }
        }
        for await _ in started {}
        try await cluster.stop(.immediate)
        do {
            try await task.value
            Issue.record("the statement survived the crash")
        } catch PostgresError.connectionLost(let statement, _) {
            #expect(statement == "sleep")
        }
        do {
            _ = try await pool.query(one)
            Issue.record("the server is down")
        } catch PostgresError.cannotConnect {
            try await cluster.start()
        }
        #expect(try await pool.query(one)[0].decode(Int32.self) == 1)
    }
}
