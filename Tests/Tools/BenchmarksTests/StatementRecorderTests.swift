import PostgresClient
import PrivatePostgres
import Testing

@testable import Benchmarks

@Suite struct StatementRecorderTests {
    private static let insert = Statement("numbers.insert", "INSERT INTO numbers VALUES ($1)")
    private static let count = Statement("numbers.count", "SELECT count(*) FROM numbers")

    @Test func `statements run, and are recorded by transaction and round trip`() async throws {
        let uri = try await TestDatabases.make()
        let pool = PostgresPool(configuration: .forTests(uri: uri, maximumConnections: 1), logger: silentLogger)
        try await pool.withConnection { connection in
            try await connection.script("CREATE TABLE numbers (number bigint)")
            let recorder = StatementRecorder(on: connection)
            let recorded = PostgresPool(standIn: recorder, logger: silentLogger)
            try await recorded.withTransaction { transaction in
                try await transaction.pipeline([PostgresQuery(Self.insert, Int64(1))])
                try await transaction.pipeline([PostgresQuery(Self.insert, Int64(2))], committing: true)
            }
            await #expect(throws: CancellationError.self) {
                try await recorded.withTransaction { transaction in
                    try await transaction.pipeline([PostgresQuery(Self.insert, Int64(3))])
                    throw CancellationError()
                }
            }
            let rows = try await recorded.query(PostgresQuery(Self.count))
            #expect(try rows.first?.decode(Int64.self) == 2)
            let names = recorder.take().map { $0.map { $0.map(\.statement.name) } }
            #expect(
                names == [
                    [["begin", "numbers.insert"], ["numbers.insert", "commit"]],
                    [["begin", "numbers.insert"], ["rollback"]], [["numbers.count"]],
                ]
            )
            #expect(recorder.take().isEmpty)
        }
    }
}
