import Foundation
import Logging
import PostgresClient
import PrivatePostgres

/// The databases of a private cluster, and the log of its server.
///
/// The SQL here is about databases, the log and the measurement's own table; that of the domain is in `GameStore`.
struct BenchDatabases: Sendable {
    private static let insert = Statement(
        "replay.insert",
        "INSERT INTO \(StatementReplay.table) (kind, client, number, parameters) VALUES ($1, $2, $3, $4)"
    )
    private static let size = Statement("log.size", "SELECT size FROM pg_stat_file(pg_current_logfile('jsonlog'))")
    private static let read = Statement(
        "log.read",
        "SELECT pg_read_binary_file(pg_current_logfile('jsonlog'), $1, $2)"
    )
    /// How often, and with what pauses, the log is looked at for what was just logged.
    private static let looks = 3_000
    private static let pause = Duration.milliseconds(10)

    let cluster: PrivateCluster
    private let pool: PostgresPool

    /// Of a cluster that logs as JSON.
    init(cluster: PrivateCluster) {
        self.cluster = cluster
        pool = Self.pool(cluster.uri())
    }

    /// Creates a database, empty or as another is now, to which nobody may be connected.
    /// - Returns: its URI.
    func create(_ name: String, from template: String = "template0") async throws -> String {
        try await pool.withConnection { try await $0.script("CREATE DATABASE \(name) TEMPLATE \(template)") }
        return cluster.uri(database: name)
    }

    /// Stores the parameters of recorded requests where `pgbench` finds them.
    func store(_ replays: [StatementReplay], in uri: String) async throws {
        try await Self.pool(uri).withTransaction { connection in
            try await connection.script(
                """
                CREATE TABLE \(StatementReplay.table) (
                    kind text, client integer, number integer, parameters text[],
                    PRIMARY KEY (kind, client, number)
                )
                """
            )
            for replay in replays {
                try await connection.pipeline(
                    replay.rows.map { row in
                        PostgresQuery(
                            Self.insert,
                            replay.kind.rawValue,
                            Int32(row.client),
                            Int32(row.number),
                            row.values
                        )
                    }
                )
            }
        }
    }

    /// How long the log is now.
    func logBytes() async throws -> Int64 {
        try await pool.query(PostgresQuery(Self.size)).first?.decode(Int64.self) ?? 0
    }

    /// What is in the log behind so many bytes: all that was logged until now.
    ///
    /// A process of its own writes the log, a moment later: a line that is made here tells that it is done.
    func log(after start: Int64) async throws -> [UInt8] {
        let mark = "\(UUID())"
        let before = try await logBytes()
        try await pool.withConnection { try await $0.script("DO $$ BEGIN RAISE LOG '\(mark)'; END $$") }
        for _ in 0..<Self.looks {
            let end = try await logBytes()
            // Others may log behind the mark.
            let newest = try await bytes(from: before, to: end)
            if String(decoding: newest, as: UTF8.self).contains(mark) {
                let text = try await bytes(from: start, to: end)
                return Array(text.prefix(through: text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex))
            }
            try await Task.sleep(for: Self.pause)
        }
        throw MeasurementFailure("PostgreSQL's log is not written")
    }

    private func bytes(from start: Int64, to end: Int64) async throws -> [UInt8] {
        try await pool.query(PostgresQuery(Self.read, start, end - start)).first?.decode([UInt8].self) ?? []
    }

    /// One connection to a database, for what belongs to no part that is measured.
    static func pool(_ uri: String, connections: Int = 1) -> PostgresPool {
        PostgresPool(
            configuration: .init(
                uri: uri,
                maximumConnections: connections,
                // A database of gigabytes is copied.
                statementTimeout: nil,
                applicationName: "rangers-bench"
            ),
            logger: Logger(label: "rangers-bench") { _ in SwiftLogNoOpLogHandler() }
        )
    }
}
