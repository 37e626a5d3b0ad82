import Foundation
import Logging
import PostgresClient
import PrivatePostgres

/// A private PostgreSQL server whose commits reach the disk, with several databases.
///
/// The SQL here concerns databases and statistics; the SQL of the domain is in `GameStore`.
struct BenchmarkPostgres: Sendable {
    /// The settings for statistics of statements, with memory as for a game of this size.
    ///
    /// Checkpoints are so far apart that a run has none.
    static let statistics = [
        "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_utility": "on",
        "shared_buffers": "4GB", "max_wal_size": "16GB", "checkpoint_timeout": "30min",
    ]
    /// The settings for a log as JSON, one object per line, in one file.
    static let jsonLog = [
        "logging_collector": "on", "log_destination": "jsonlog", "log_rotation_age": "0", "log_rotation_size": "0",
    ]
    private static let walBytes = Statement(
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
    private static let logSize = Statement("log.size", "SELECT size FROM pg_stat_file(pg_current_logfile('jsonlog'))")
    private static let logPart = Statement(
        "log.read",
        "SELECT pg_read_binary_file(pg_current_logfile('jsonlog'), $1, $2)"
    )

    let cluster: PrivateCluster
    private let pool: PostgresPool

    /// Starts a server; it stops with the last reference to it.
    init(settings: [String: String] = Self.statistics) async throws {
        cluster = try await PrivateCluster.start(.init(isDurable: true, settings: settings))
        pool = Self.pool(cluster.uri())
        if settings == Self.statistics {
            try await pool.withConnection { try await $0.script("CREATE EXTENSION pg_stat_statements") }
        }
    }

    /// Creates a database, empty or as a copy of another one, which must have no sessions.
    /// - Returns: its URI.
    func create(_ name: String, from template: String = "template0") async throws -> String {
        try await pool.withConnection { try await $0.script("CREATE DATABASE \(name) TEMPLATE \(template)") }
        return cluster.uri(database: name)
    }

    /// Drops a database, ending its sessions.
    func drop(_ name: String) async throws {
        try await pool.withConnection { try await $0.script("DROP DATABASE \(name) WITH (FORCE)") }
    }

    /// Writes a checkpoint, so that the following measurements start alike.
    func checkpoint() async throws { try await pool.withConnection { try await $0.script("CHECKPOINT") } }

    /// Runs `body` while another session holds a snapshot that was taken before.
    static func whileSnapshotIsPinned(on uri: String, _ body: () async throws -> Void) async throws {
        try await pool(uri).withTransaction { connection in
            try await connection.script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT FROM pg_class LIMIT 1")
            try await body()
        }
    }

    /// The server's cumulative usage.
    struct Usage: Sendable, Hashable {
        let walBytes: Int64
        let cpuSeconds: Double
    }

    func usage() async throws -> Usage {
        let bytes = try await pool.query(PostgresQuery(Self.walBytes)).first?.decode(Int64.self) ?? 0
        return Usage(walBytes: bytes, cpuSeconds: ProcessUsage.cpuSeconds(ofFamilyOf: try cluster.processIdentifier))
    }

    /// Resets the statistics of statements.
    func resetStatements() async throws { _ = try await pool.query(PostgresQuery(Self.reset)) }

    /// Returns the statements of a database with the longest total execution time.
    func statements(of database: String, limit: Int) async throws -> [StatementStatistics] {
        try await pool.query(PostgresQuery(Self.statements, database, Int64(limit))).map { row in
            let (query, calls, milliseconds, rows, walBytes) = try row.decode(
                String.self,
                Int64.self,
                Double.self,
                Int64.self,
                Int64.self
            )
            return StatementStatistics(
                statement: StatementStatistics.shortened(query),
                calls: Int(calls),
                milliseconds: milliseconds,
                rows: Int(rows),
                walBytes: Int(walBytes)
            )
        }
    }

    /// Returns the current length of the JSON log in bytes.
    func logBytes() async throws -> Int64 {
        try await pool.query(PostgresQuery(Self.logSize)).first?.decode(Int64.self) ?? 0
    }

    /// Returns the complete lines of the JSON log from `start` up to now.
    ///
    /// Another process writes the log with a delay; a marker line shows that it has caught up.
    func log(after start: Int64) async throws -> [UInt8] {
        let marker = "\(UUID())"
        let before = try await logBytes()
        try await pool.withConnection { try await $0.script("DO $$ BEGIN RAISE LOG '\(marker)'; END $$") }
        var end = before
        let isWritten = try await Polling.until(within: .seconds(30), every: .milliseconds(10)) {
            end = try await logBytes()
            return String(decoding: try await log(from: before, to: end), as: UTF8.self).contains(marker)
        }
        guard isWritten else { throw BenchmarkFailure("PostgreSQL does not write its log") }
        let text = try await log(from: start, to: end)
        return Array(text.prefix(through: text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex))
    }

    private func log(from start: Int64, to end: Int64) async throws -> [UInt8] {
        try await pool.query(PostgresQuery(Self.logPart, start, end - start)).first?.decode([UInt8].self) ?? []
    }

    /// Returns a pool for work outside the measured parts.
    static func pool(_ uri: String, connections: Int = 1) -> PostgresPool {
        PostgresPool(
            configuration: .init(
                uri: uri,
                maximumConnections: connections,
                // Copying a database of gigabytes takes longer than the default.
                statementTimeout: nil,
                applicationName: "rangers-bench"
            ),
            logger: silentLogger
        )
    }
}

/// A logger that discards everything.
let silentLogger = Logger(label: "rangers-bench") { _ in SwiftLogNoOpLogHandler() }

/// The statistics of one statement in `pg_stat_statements`.
struct StatementStatistics: Encodable, Hashable, Sendable {
    private static let maxLength = 64

    let statement: String
    let calls: Int
    /// The execution time of all calls.
    let milliseconds: Double
    let rows: Int
    let walBytes: Int

    /// Returns the beginning of a statement on one line; a long query keeps its tables rather than its columns.
    static func shortened(_ sql: String) -> String {
        var line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if line.count > maxLength, line.hasPrefix("SELECT "), let source = line.firstRange(of: " FROM ") {
            line.replaceSubrange(line.startIndex..<source.lowerBound, with: "SELECT …")
        }
        return line.count > maxLength ? line.prefix(maxLength - 1) + "…" : line
    }
}

/// The size of a table, from `pg_stat_user_tables`.
struct TableStatistics: Hashable, Sendable {
    private static let read = Statement(
        "tables.read",
        """
        SELECT relname::text, n_live_tup, n_dead_tup, pg_total_relation_size(relid)
        FROM pg_stat_user_tables
        ORDER BY relname
        """
    )
    private static let sessions = Statement(
        "sessions.count",
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name <> 'rangers-bench'
        """
    )

    let name: String
    let liveRows: Int
    let deadRows: Int
    /// The size with indexes.
    let bytes: Int

    /// Reads all tables of a database.
    static func read(from pool: PostgresPool) async throws -> [Self] {
        try await pool.query(PostgresQuery(read)).map { row in
            let (name, live, dead, bytes) = try row.decode(String.self, Int64.self, Int64.self, Int64.self)
            return Self(name: name, liveRows: Int(live), deadRows: Int(dead), bytes: Int(bytes))
        }
    }

    /// Returns the number of sessions of a database, except those of this program.
    static func sessions(from pool: PostgresPool) async throws -> Int {
        Int(try await pool.query(PostgresQuery(sessions)).first?.decode(Int64.self) ?? 0)
    }
}
