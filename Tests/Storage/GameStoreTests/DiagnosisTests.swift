import GameCore
import GameStore
import Logging
import PostgresClient
import PrivatePostgres
import Testing

@Suite struct DiagnosisTests {
    @Test func `connections count against the limits of the current role`() async throws {
        let uri = try await TestDatabases.make()
        let (asSuperuser, reserved, limit) = try await with(uri) { store, pool in
            let row = try await pool.query(
                PostgresQuery(
                    Statement(
                        "test.limits",
                        """
                        SELECT current_database()::text, current_setting('superuser_reserved_connections')::integer,
                            current_setting('max_connections')::integer
                        """
                    )
                )
            )[0]
            let (database, reserved, limit) = try row.decode(String.self, Int32.self, Int32.self)
            for (name, sql) in [
                ("test.role", "CREATE ROLE ranger_of_\(database) LOGIN PASSWORD 'test' CONNECTION LIMIT 7"),
                ("test.database", "ALTER DATABASE \(database) CONNECTION LIMIT 50"),
            ] {
                _ = try await pool.query(PostgresQuery(Statement(name, sql)))
            }
            return (try await store.connectionUsage(), Int(reserved), Int(limit))
        }
        // Only the server's limit applies to a superuser.
        #expect(asSuperuser.map(\.scope) == [.server(reserved: 0)])
        #expect(asSuperuser.map(\.limit) == [limit])

        let database = try #require(uri.firstMatch(of: /(rangers_test_[a-z0-9]+|test_[0-9]+)/)?.output.1)
        let role = "ranger_of_\(database)"
        let separator = uri.contains("?") ? "&" : "?"
        let asRole = try await with("\(uri)\(separator)user=\(role)&password=test") { store, _ in
            try await store.connectionUsage()
        }
        #expect(asRole.map(\.scope) == [.server(reserved: reserved), .role(role), .database("\(database)")])
        #expect(asRole.map(\.limit) == [limit - reserved, 7, 50])
        #expect(asRole.dropFirst().allSatisfy { $0.open >= 1 && $0.open <= asRole[0].open })
        #expect(asRole[1].open == 1)

        try await with(uri) { _, pool in
            _ = try await pool.query(PostgresQuery(Statement("test.drop", "DROP ROLE \(role)")))
        }
    }

    private func with<Result: Sendable>(
        _ uri: String,
        _ body: @Sendable (GameStore, PostgresPool) async throws -> Result
    ) async throws -> Result {
        let pool = PostgresPool(
            configuration: .forTests(uri: uri, maximumConnections: 1),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        return try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            let result = try await body(GameStore(pool: pool), pool)
            group.cancelAll()
            return result
        }
    }
}
