import PostgresClient
import PrivatePostgres
import Testing

@testable import Benchmarks

@Suite struct BenchmarkPostgresTests {
    private static let openTransactions = Statement(
        "transactions.open",
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'
        """
    )

    @Test func `the tables of a database, and the sessions of other programs, are counted`() async throws {
        let uri = try await TestDatabases.make()
        let pool = BenchmarkPostgres.pool(uri)
        try await pool.withConnection { connection in
            try await connection.script("CREATE TABLE numbers AS SELECT generate_series(1, 1000) AS number")
        }
        let tables = try await TableStatistics.read(from: pool)
        #expect(tables.map(\.name) == ["numbers"] && tables.allSatisfy { $0.bytes > 8_192 })
        #expect(try await TableStatistics.sessions(from: pool) == 0)
        let other = PostgresPool(configuration: .forTests(uri: uri, maximumConnections: 1), logger: silentLogger)
        let sessions = try await other.withConnection { _ in try await TableStatistics.sessions(from: pool) }
        #expect(sessions == 1)
    }

    @Test func `a long query keeps its tables`() {
        #expect(StatementStatistics.shortened("SELECT a,\n  b FROM c") == "SELECT a, b FROM c")
        let long = "SELECT " + (0..<40).map { "column\($0)" }.joined(separator: ", ") + "\nFROM log\nWHERE shard = $1"
        #expect(StatementStatistics.shortened(long) == "SELECT … FROM log WHERE shard = $1")
        let update = "UPDATE adventures SET " + String(repeating: "x", count: 80)
        #expect(StatementStatistics.shortened(update).count == 64)
    }

    @Test func `a pinned snapshot ends when the work fails`() async throws {
        let uri = try await TestDatabases.make()
        let pool = BenchmarkPostgres.pool(uri)
        func openTransactions() async throws -> Int64? {
            try await pool.query(PostgresQuery(Self.openTransactions)).first?.decode(Int64.self)
        }
        await #expect(throws: CancellationError.self) {
            try await BenchmarkPostgres.whileSnapshotIsPinned(on: uri) {
                #expect(try await openTransactions() == 1)
                throw CancellationError()
            }
        }
        #expect(try await openTransactions() == 0)
    }
}
