import Foundation
import PostgresClient
import PrivatePostgres

/// A private PostgreSQL whose commits reach the disk, with the statistics of its statements, as `rangers-bench` measures on.
struct DurableServer: Sendable {
    /// What a server for a game of this size would be given.
    ///
    /// Checkpoints come seldom, so that a run has none, or has
    /// written again what the last one made it write whole.
    private static let settings = [
        "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_utility": "on",
        "shared_buffers": "4GB", "max_wal_size": "16GB", "checkpoint_timeout": "30min",
    ]
    private static let server = Statement("server.process", "SELECT pg_backend_pid()")
    private static let wal = Statement(
        "server.wal",
        "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
    )
    private static let reset = Statement("statements.reset", "SELECT pg_stat_statements_reset() IS NULL")
    private static let statements = Statement(
        "statements.read",
        """
        SELECT query, calls, total_exec_time, rows, wal_bytes::bigint
        FROM pg_stat_statements AS s
        JOIN pg_database AS d ON d.oid = s.dbid
        WHERE d.datname = $1
        ORDER BY total_exec_time DESC
        LIMIT $2
        """
    )

    private let cluster: PrivateCluster
    private let databases: BenchDatabases
    private let pool: PostgresPool
    /// The server's first process, whose children are all others.
    private let process: Int32

    /// Makes a server and starts it.
    init() async throws {
        cluster = try await PrivateCluster.start(.init(isDurable: true, settings: Self.settings))
        databases = BenchDatabases(cluster: cluster)
        pool = BenchDatabases.pool(cluster.uri())
        try await pool.withConnection { try await $0.script("CREATE EXTENSION pg_stat_statements") }
        let session = try await pool.query(PostgresQuery(Self.server)).first?.decode(Int32.self) ?? 0
        let stat = try String(contentsOfFile: "/proc/\(session)/stat", encoding: .utf8)
        guard let parent = ProcessStat(stat)?.parent else {
            throw MeasurementFailure("PostgreSQL's processes cannot be watched")
        }
        process = parent
    }

    /// Does something while a session holds a snapshot that it has taken before: what it might still see is kept.
    func whileSnapshotIsPinned(on uri: String, _ body: () async throws -> Void) async throws {
        try await BenchDatabases.pool(uri).withConnection { connection in
            try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM pg_class LIMIT 1")
            try await body()
            try await connection.script("COMMIT")
        }
    }

    /// Creates a database, empty or as another is now, to which nobody may be connected.
    /// - Returns: its URI.
    func create(_ name: String, from template: String = "template0") async throws -> String {
        try await databases.create(name, from: template)
    }

    /// Drops a database, to which nobody may be connected.
    func drop(_ name: String) async throws {
        try await pool.withConnection { try await $0.script("DROP DATABASE \(name) WITH (FORCE)") }
    }

    /// Writes everything to its place, so that what follows begins alike.
    func checkpoint() async throws {
        try await pool.withConnection { try await $0.script("CHECKPOINT") }
    }

    /// The URI of a database.
    func uri(_ name: String) -> String { cluster.uri(database: name) }

    /// What has been used and written so far.
    func reading() async throws -> Reading {
        let bytes = try await pool.query(PostgresQuery(Self.wal)).first?.decode(Int64.self) ?? 0
        return Reading(walBytes: bytes, processorSeconds: ProcessorTime.seconds(ofFamilyOf: process))
    }

    /// What a server has written to its log, and its CPU time.
    struct Reading: Sendable, Hashable {
        let walBytes: Int64
        let processorSeconds: Double
    }

    /// Begins to count statements anew.
    func resetStatements() async throws {
        _ = try await pool.query(PostgresQuery(Self.reset))
    }

    /// The statements of a database that took the longest together.
    func statements(of database: String, atMost limit: Int) async throws -> [StatementFigures] {
        let rows = try await pool.query(PostgresQuery(Self.statements, database, Int64(limit)))
        return try rows.map { row in
            let (query, calls, milliseconds, rows, walBytes) = try row.decode(
                String.self,
                Int64.self,
                Double.self,
                Int64.self,
                Int64.self
            )
            return StatementFigures(
                statement: StatementFigures.shortened(query),
                calls: Int(calls),
                milliseconds: milliseconds,
                rows: Int(rows),
                walBytes: Int(walBytes)
            )
        }
    }
}

/// What `pg_stat_statements` says of one statement.
struct StatementFigures: Encodable, Hashable, Sendable {
    private static let longest = 64

    let statement: String
    let calls: Int
    /// All calls together.
    let milliseconds: Double
    let rows: Int
    let walBytes: Int

    /// A statement on one line, as far as it tells which it is: what is read from where matters more than its columns.
    static func shortened(_ sql: String) -> String {
        var line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if line.count > longest, line.hasPrefix("SELECT "), let source = line.firstRange(of: " FROM ") {
            line.replaceSubrange(line.startIndex..<source.lowerBound, with: "SELECT …")
        }
        return line.count > longest ? line.prefix(longest - 1) + "…" : line
    }
}
