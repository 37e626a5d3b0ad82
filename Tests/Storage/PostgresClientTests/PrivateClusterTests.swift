import Foundation
import PostgresClient
import PrivatePostgres
import Testing

@Suite struct PrivateClusterTests {
    @Test func `each database is empty and separate`() async throws {
        let uris = try await [TestDatabases.make(), TestDatabases.make()]
        #expect(uris[0] != uris[1])
        for uri in uris {
            let pool = PostgresPool(configuration: .init(uri: uri), logger: quiet)
            try await pool.withConnection { try await $0.script("CREATE TABLE only_here ()") }
        }
    }

    @Test func `a durable cluster writes commits to disk`() async throws {
        let cluster = try await PrivateCluster.start(.init(isDurable: true, settings: ["work_mem": "7MB"]))
        let pool = PostgresPool(configuration: .init(uri: cluster.uri()), logger: quiet)
        let rows = try await pool.query(PostgresQuery("SELECT current_setting('fsync'), current_setting('work_mem')"))
        let (fsync, memory) = try rows[0].decode(String.self, String.self)
        #expect((fsync, memory) == ("on", "7MB"))
    }

    @Test func `two clusters run concurrently, and commits survive a crash`() async throws {
        let clusters = try await [PrivateCluster.start(.init(isDurable: true)), PrivateCluster.start()]
        let pool = PostgresPool(configuration: .init(uri: try await clusters[0].database()), logger: quiet)
        try await pool.withConnection { try await $0.script("CREATE TABLE t AS SELECT 7 AS n") }
        try await clusters[0].restart(.immediate)
        #expect(try await pool.query(PostgresQuery("SELECT n FROM t"))[0].decode(Int32.self) == 7)
        let other = PostgresPool(configuration: .init(uri: clusters[1].uri()), logger: quiet)
        #expect(try await other.query(PostgresQuery("SELECT 1"))[0].decode(Int32.self) == 1)
    }

    @Test func `a cluster that is set back has lost what was committed after the copy`() async throws {
        let cluster = try await PrivateCluster.start()
        let uri = try await cluster.database()
        for number in 1...2 {
            try await PostgresPool(configuration: .init(uri: uri), logger: quiet).withConnection { connection in
                try await connection.script("CREATE TABLE kept_\(number) ()")
                try await cluster.copyData()
                try await connection.script("CREATE TABLE lost_\(number) ()")
            }
            try await cluster.setBack()
        }
        let tables = "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relname ~ '^(kept|lost)_'"
        let pool = PostgresPool(configuration: .init(uri: uri), logger: quiet)
        #expect(
            try await pool.query(PostgresQuery(Statement("tables", tables)))[0].decode(String.self) == "kept_1 kept_2"
        )
    }

    @Test func `a cluster without references is removed`() async throws {
        let directory = try await {
            let cluster = try await PrivateCluster.start()
            let pool = PostgresPool(configuration: .init(uri: cluster.uri()), logger: quiet)
            let rows = try await pool.query(PostgresQuery("SELECT current_setting('unix_socket_directories')"))
            return try rows[0].decode(String.self)
        }()
        while FileManager.default.fileExists(atPath: directory) { await Task.yield() }
    }
}
