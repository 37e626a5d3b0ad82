import GameStore
import PostgresClient
import PrivatePostgres

/// A database with the distributed schema, in which statements are parsed and planned but not run.
struct StatementAnalyzer: Sendable {
    let uri: String
    let pool: PostgresPool
    let catalogue: Catalogue

    /// Runs a test with a new analyzer.
    static func with(_ body: @Sendable (StatementAnalyzer) async throws -> Void) async throws {
        let uri = try await TestDatabases.make()
        try await withStore(at: uri, migrated: false) { store, pool in
            try await pool.withConnection { try await $0.script(DistributionStandIn.sql) }
            _ = try await store.migrate(distributing: true)
            try await body(StatementAnalyzer(uri: uri, pool: pool, catalogue: try await Catalogue(of: pool)))
        }
    }

    /// Returns the parse trees of statements, by name.
    func trees(of statements: [Statement]) async throws -> [String: NodeTree] {
        var script = "SET client_min_messages = log;\nSET debug_pretty_print = off;\nSET debug_print_parse = on;\n"
        for (number, statement) in statements.enumerated() {
            script += "\\warn @@ \(statement.name)\nPREPARE statement_\(number) AS \(statement.sql);\n"
        }
        let output = try await PostgresShell.run(script, on: uri)
        var trees: [String: NodeTree] = [:]
        for part in output.split(separator: "@@ ") {
            // The output starts with PREPARE itself, followed by the prepared statement.
            guard let text = part.split(separator: "DETAIL:", omittingEmptySubsequences: false).last else { continue }
            var reader = NodeTreeReader(text)
            trees[String(part.prefix { !$0.isNewline })] = reader.next()
        }
        return trees
    }

    /// Returns the generic plans of statements, by name.
    func plans(of statements: [Statement]) async throws -> [String: String] {
        var script = "SET plan_cache_mode = force_generic_plan;\n"
        for (number, statement) in statements.enumerated() {
            let parameters = statement.sql.matches(of: /\$(\d+)/).compactMap { Int($0.1) }.max() ?? 0
            let values =
                parameters == 0 ? "" : "(\(Array(repeating: "NULL", count: parameters).joined(separator: ", ")))"
            script += """
                \\echo @@ \(statement.name)
                PREPARE statement_\(number) AS \(statement.sql);
                EXPLAIN (COSTS OFF) EXECUTE statement_\(number)\(values);

                """
        }
        let output = try await PostgresShell.run(script, on: uri)
        return Dictionary(
            output.split(separator: "@@ ").map { part in
                (String(part.prefix { !$0.isNewline }), String(part.drop { !$0.isNewline }))
            },
            uniquingKeysWith: { $1 }
        )
    }
}

extension Catalogue {
    private static let tables = Statement(
        "test.distribution",
        """
        SELECT c.oid::bigint, c.relname::text, a.attnum::bigint
        FROM pg_class AS c
        LEFT JOIN stand_in.tables AS t ON t.name = c.relname
        LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = t.distribution_column
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        """
    )
    private static let functions = Statement("test.functions", "SELECT oid::bigint, provolatile::text FROM pg_proc")
    private static let operators = Statement(
        "test.operators",
        "SELECT oid::bigint, oprname::text, oprcode::oid::bigint FROM pg_operator"
    )
    private static let types = Statement(
        "test.types",
        "SELECT oid::bigint, typinput::oid::bigint, typoutput::oid::bigint FROM pg_type"
    )

    init(of pool: PostgresPool) async throws {
        for row in try await pool.query(PostgresQuery(Self.tables)) {
            let (id, name, column) = try row.decode(Int64.self, String.self, Int64?.self)
            tables[Int(id)] = Table(name: name, distributionColumn: column.map { Int($0) })
        }
        for row in try await pool.query(PostgresQuery(Self.functions)) {
            let (id, volatility) = try row.decode(Int64.self, String.self)
            functions[Int(id)] = Volatility(rawValue: volatility)
        }
        for row in try await pool.query(PostgresQuery(Self.operators)) {
            let (id, name, function) = try row.decode(Int64.self, String.self, Int64.self)
            operators[Int(id)] = Operator(name: name, function: Int(function))
        }
        for row in try await pool.query(PostgresQuery(Self.types)) {
            let (id, input, output) = try row.decode(Int64.self, Int64.self, Int64.self)
            types[Int(id)] = (Int(input), Int(output))
        }
    }
}
