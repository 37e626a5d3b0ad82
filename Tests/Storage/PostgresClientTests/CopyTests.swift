import Foundation
import PostgresClient
import Testing

@Suite struct CopyTests {
    private let copy = Statement("t.copy", "COPY t (id, name, seats) FROM STDIN (FORMAT binary)")

    private let foreignCopy = "the statement started a COPY that this call does not serve"

    private func makeTable() async throws -> PostgresPool {
        let pool = try await makePool { $0.maximumConnections = 1 }
        try await pool.withConnection {
            try await $0.script("CREATE TABLE t (id uuid PRIMARY KEY, name text, seats integer[] NOT NULL)")
        }
        return pool
    }

    private func count(_ pool: PostgresPool) async throws -> Int {
        try await pool.query(PostgresQuery("SELECT count(*) FROM t"))[0].decode(Int.self)
    }

    @Test func `many rows are copied with their NULLs and arrays`() async throws {
        let pool = try await makeTable()
        var rows = PostgresCopyRows()
        for number: Int32 in 0..<20_000 {
            rows.append(UUID(), number == 5 ? nil : "hero \(number)", [number, number + 1])
        }
        #expect(rows.count == 20_000)
        #expect(try await pool.withTransaction { try await $0.copyIn(copy, rows) } == 20_000)
        let found = try await pool.query(
            PostgresQuery("SELECT count(*), count(name), sum(seats[2])::bigint FROM t")
        )
        let (all, named, sum) = try found[0].decode(Int.self, Int.self, Int.self)
        #expect((all, named, sum) == (20_000, 19_999, 200_010_000))
    }

    @Test func `copying no rows stores none`() async throws {
        let pool = try await makeTable()
        #expect(try await pool.withConnection { try await $0.copyIn(copy, PostgresCopyRows()) } == 0)
    }

    @Test func `a COPY that violates a constraint stores nothing and leaves the connection usable`() async throws {
        let pool = try await makeTable()
        let id = UUID()
        var rows = PostgresCopyRows()
        for _ in 0..<2 { rows.append(id, "twice", [Int32]()) }
        let error = try await serverError { try await pool.withConnection { try await $0.copyIn(copy, rows) } }
        #expect(error.isViolation(of: "t_pkey"))
        #expect(error.statement == "t.copy")
        #expect(try await count(pool) == 0)
    }

    @Test func `a COPY into a table that does not exist is the server's error`() async throws {
        let pool = try await makeTable()
        let wrong = Statement("wrong.copy", "COPY nowhere FROM STDIN (FORMAT binary)")
        let error = try await serverError {
            try await pool.withConnection { try await $0.copyIn(wrong, PostgresCopyRows()) }
        }
        #expect(error.state == .undefinedTable)
        #expect(try await count(pool) == 0)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: ["COPY t FROM STDIN", "COPY t TO STDOUT", "SELECT 1; COPY t FROM STDIN; COPY t FROM STDIN"]
    )
    func `a script with a COPY is rejected and its connection closed`(script: String) async throws {
        let pool = try await makeTable()
        await #expect(throws: PostgresError.connectionLost(statement: "script", reason: foreignCopy)) {
            try await pool.withConnection { try await $0.script(script) }
        }
        #expect(try await count(pool) == 0)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a second COPY in one statement stores nothing and closes the connection`() async throws {
        let pool = try await makeTable()
        let twice = Statement("t.copy.twice", copy.sql + "; " + copy.sql)
        var rows = PostgresCopyRows()
        rows.append(UUID(), "once", [Int32]())
        await #expect(throws: PostgresError.connectionLost(statement: "t.copy.twice", reason: foreignCopy)) {
            try await pool.withConnection { try await $0.copyIn(twice, rows) }
        }
        #expect(try await count(pool) == 0)
    }
}
