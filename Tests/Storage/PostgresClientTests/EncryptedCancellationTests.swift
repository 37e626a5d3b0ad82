import CLibpq
import PostgresClient
import PrivatePostgres
import Testing

/// Cancellation over TLS, where the request to cancel must not reveal the session's key.
@Suite(.timeLimit(.minutes(10))) struct EncryptedCancellationTests {
    private let sleep = PostgresQuery(Statement("sleep", "SELECT pg_sleep(600)"))

    /// Starts a server with TLS; the certificate is its own, so clients do not verify it.
    private func startServer() async throws -> (server: PrivateCluster, uri: String) {
        let server = try await PrivateCluster.start(.init(listensOnTCP: true))
        let pool = PostgresPool(configuration: .init(uri: server.uri()), logger: quiet)
        try await pool.withConnection { connection in
            // The server's user must own the key, so the server makes it.
            try await connection.script(
                """
                COPY (SELECT 1) TO PROGRAM 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \\
                -keyout server.key -out server.crt -subj /CN=127.0.0.1 -days 2 >/dev/null 2>&1; cat >/dev/null'
                """
            )
            try await connection.script("ALTER SYSTEM SET ssl = on")
        }
        try await server.restart()
        return (server, try #require(server.tcpURI()) + "?sslmode=require")
    }

    private func sleepers(_ observer: PostgresPool) async throws -> Int {
        try await observer.query(
            PostgresQuery(
                Statement("sleepers", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
            )
        )[0].decode(Int.self)
    }

    @Test func `a cancelled statement ends on the server, and the pool stays usable`() async throws {
        let (server, uri) = try await startServer()
        let observer = PostgresPool(configuration: .init(uri: server.uri()), logger: quiet)
        let pool = PostgresPool(configuration: .init(uri: uri, maximumConnections: 1), logger: quiet)
        let session = PostgresQuery("SELECT pid FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl")
        let first = try await pool.query(session)[0].decode(Int32.self)
        let task = Task { try await pool.query(sleep) }
        while try await sleepers(observer) == 0 {}
        task.cancel()
        await #expect(throws: PostgresError.cancelled(statement: "sleep")) { try await task.value }
        while try await sleepers(observer) > 0 {}
        // Only libpq 17 encrypts the request; with an older version the connection was closed instead.
        let second = try await pool.query(session)[0].decode(Int32.self)
        #expect((second == first) == (PQlibVersion() >= 170_000))
    }
}
