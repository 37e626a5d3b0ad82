import PostgresClient
import Testing

@Suite struct QueryTests {
    @Test func `rows are in order and counted`() async throws {
        let pool = try await makePool()
        let rows = try await pool.query(PostgresQuery("SELECT n FROM generate_series(1, 3) AS n"))
        #expect(try rows.map { try $0.decode(Int32.self) } == [1, 2, 3])
        #expect(rows.affectedRows == 3)
        let none = try await pool.query(PostgresQuery("SELECT 1 WHERE false"))
        #expect(none.isEmpty)
        #expect(none.affectedRows == 0)
    }

    @Test func `a statement reports the number of rows it changed`() async throws {
        let pool = try await makePool()
        try await pool.withConnection { connection in
            try await connection.script("CREATE TABLE t (n integer); INSERT INTO t SELECT generate_series(1, 5)")
            let update = try await connection.query(PostgresQuery("UPDATE t SET n = n + 1 WHERE n > $1", Int32(2)))
            #expect(update.affectedRows == 3)
            #expect(update.isEmpty)
        }
    }

    @Test func `the error of a violated constraint names state, table and statement`() async throws {
        let pool = try await makePool()
        try await pool.withConnection { connection in
            try await connection.script("CREATE TABLE party (id integer CONSTRAINT party_pkey PRIMARY KEY)")
            let insert = PostgresQuery(Statement("party.insert", "INSERT INTO party VALUES ($1)"), Int32(77_123))
            _ = try await connection.query(insert)
            let error = try await serverError { _ = try await connection.query(insert) }
            #expect(error.state == .uniqueViolation)
            #expect(error.statement == "party.insert")
            #expect(error.constraint == "party_pkey")
            #expect(error.table == "party")
            #expect(error.isViolation(of: "party_pkey"))
            #expect(!error.isViolation(of: "party"))
            #expect(error.detail?.contains("77123") == true)
            #expect(!"\(PostgresError.server(error))".contains("77123"))
            #expect(!String(reflecting: PostgresError.server(error)).contains("77123"))
        }
    }

    @Test func `a statement with a syntax error leaves the connection usable`() async throws {
        let pool = try await makePool { $0.maximumConnections = 1 }
        let error = try await serverError { _ = try await pool.query(PostgresQuery("SELEC 1")) }
        #expect(error.state.rawValue == "42601")
        let rows = try await pool.query(PostgresQuery("SELECT 1"))
        #expect(try rows[0].decode(Int32.self) == 1)
    }

    @Test func `the server checks the number of parameters`() async throws {
        let pool = try await makePool()
        let error = try await serverError { _ = try await pool.query(PostgresQuery("SELECT $1::integer")) }
        #expect(error.state.rawValue == "08P01" || error.state.rawValue == "42P18" || error.state.rawValue == "42P02")
    }

    @Test func `a statement is prepared once per connection`() async throws {
        let pool = try await makePool { $0.maximumConnections = 1 }
        let query = PostgresQuery(Statement("counted", "SELECT $1::integer"), Int32(1))
        for _ in 0..<3 { _ = try await pool.query(query) }
        let rows = try await pool.query(
            PostgresQuery("SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE name = 'counted'")
        )
        #expect(try rows.map { try $0.decode(Int64.self) } == [3])
    }

    @Test func `nothing is prepared behind a pooler without support for prepared statements`() async throws {
        let pool = try await makePool {
            $0.maximumConnections = 1
            $0.preparesStatements = false
        }
        let sum = PostgresQuery("SELECT $1::integer + $2::integer", Int32(1), Int32(2))
        #expect(try await pool.query(sum)[0].decode(Int32.self) == 3)
        let results = try await pool.withTransaction { try await $0.pipeline([sum, sum], committing: true) }
        #expect(try results.map { try $0[0].decode(Int32.self) } == [3, 3])
        let prepared = try await pool.query(PostgresQuery("SELECT count(*) FROM pg_prepared_statements"))
        #expect(try prepared[0].decode(Int64.self) == 0)
    }

    @Test func `a changed schema causes one error, then the statement is prepared anew`() async throws {
        let pool = try await makePool { $0.maximumConnections = 1 }
        try await pool.withConnection { try await $0.script("CREATE TABLE t (a integer); INSERT INTO t VALUES (1)") }
        let query = PostgresQuery(Statement("t.all", "SELECT * FROM t"))
        _ = try await pool.query(query)
        try await pool.withConnection { try await $0.script("ALTER TABLE t ADD b integer DEFAULT 2") }
        let error = try await serverError { _ = try await pool.query(query) }
        #expect(error.state.rawValue == "0A000")
        let (a, b) = try await pool.query(query)[0].decode(Int32.self, Int32.self)
        #expect((a, b) == (1, 2))
    }

    @Test func `deallocated statements are prepared anew after one error`() async throws {
        let pool = try await makePool { $0.maximumConnections = 1 }
        let query = PostgresQuery(Statement("one", "SELECT 1"))
        _ = try await pool.query(query)
        try await pool.withConnection { try await $0.script("DEALLOCATE ALL") }
        let error = try await serverError { _ = try await pool.query(query) }
        #expect(error.state.rawValue == "26000")
        #expect(try await pool.query(query)[0].decode(Int32.self) == 1)
    }
}

/// Returns the server error that an operation throws.
func serverError<Ignored>(
    _ operation: () async throws -> Ignored,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PostgresServerError {
    do {
        _ = try await operation()
    } catch PostgresError.server(let error) {
        return error
    }
    Issue.record("the server reported no error", sourceLocation: sourceLocation)
    throw PostgresError.closed
}
