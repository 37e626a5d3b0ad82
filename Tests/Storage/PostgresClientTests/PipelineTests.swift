import PostgresClient
import Testing

@Suite struct PipelineTests {
    @Test func `results have the order of the statements`() async throws {
        let pool = try await makePool()
        let queries = (0..<500).map { PostgresQuery(Statement("echo", "SELECT $1::integer"), Int32($0)) }
        let results = try await pool.withConnection { try await $0.pipeline(queries) }
        #expect(try results.map { try $0[0].decode(Int32.self) } == Array(0..<500))
    }

    @Test func `the first error names its statement, and later statements do not run`() async throws {
        let pool = try await makePool { $0.maximumConnections = 1 }
        try await pool.withConnection { try await $0.script("CREATE TABLE t (n integer PRIMARY KEY)") }
        let insert = Statement("t.insert", "INSERT INTO t VALUES ($1)")
        let error = try await serverError {
            try await pool.withTransaction { connection in
                try await connection.pipeline(
                    [
                        PostgresQuery(insert, Int32(1)),
                        PostgresQuery(Statement("t.break", "SELECT 1 / $1::integer"), Int32(0)),
                        PostgresQuery(insert, Int32(1)),
                        PostgresQuery(Statement("t.never", "SELECT nothing FROM nowhere")),
                    ],
                    committing: true
                )
            }
        }
        #expect(error.statement == "t.break")
        #expect(error.state.rawValue == "22012")
        let rows = try await pool.query(PostgresQuery("SELECT count(*) FROM t"))
        #expect(try rows[0].decode(Int.self) == 0)
    }

    @Test func `the error of a statement that cannot be prepared names it, and the statement can run later`()
        async throws
    {
        let pool = try await makePool { $0.maximumConnections = 1 }
        let good = PostgresQuery(Statement("good", "SELECT 1"))
        let early = PostgresQuery(Statement("early", "SELECT count(*) FROM later"))
        let error = try await serverError {
            _ = try await pool.withConnection { try await $0.pipeline([good, early, good]) }
        }
        #expect(error.statement == "early")
        #expect(error.state == .undefinedTable)
        try await pool.withConnection { try await $0.script("CREATE TABLE later ()") }
        #expect(try await pool.withConnection { try await $0.pipeline([good, early, good]) }.count == 3)
    }

    @Test func `a pipeline larger than all buffers does not block`() async throws {
        let pool = try await makePool()
        let text = String(repeating: "🐳", count: 50_000)
        let queries = (0..<100).map { _ in PostgresQuery(Statement("mirror", "SELECT $1::text"), text) }
        let results = try await pool.withConnection { try await $0.pipeline(queries) }
        #expect(try results.allSatisfy { try $0[0].decode(String.self) == text })
    }

    @Test func `an empty pipeline sends nothing`() async throws {
        let pool = try await makePool()
        #expect(try await pool.withConnection { try await $0.pipeline([]) }.isEmpty)
    }
}
