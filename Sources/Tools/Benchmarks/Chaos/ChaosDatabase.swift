import Foundation
import GameStore
import Logging
import PostgresClient
import PrivatePostgres

/// The private PostgreSQL of a run, and what its administrator does to it.
struct ChaosDatabase: Sendable {
    private static let name = "chaos"
    private static let settings = [
        // Checkpoints come within a run, as they do in life.
        "max_wal_size": "256MB", "checkpoint_timeout": "60s", "shared_buffers": "256MB",
    ]

    private let cluster: PrivateCluster
    /// Where the tables are, if they are where a full disk can be had; else why they are not.
    let disk: Result<SmallDisk, MeasurementFailure>

    /// Makes a server whose commits reach the disk, with an empty database.
    /// - Parameter diskMegabytes: how large the disk is that the database is put on, where one can be had.
    /// - Throws: what keeps PostgreSQL from starting.
    init(diskMegabytes: Int) async throws {
        cluster = try await PrivateCluster.start(.init(isDurable: true, settings: Self.settings))
        disk = await SmallDisk.mount(megabytes: diskMegabytes)
        var create = "CREATE DATABASE \(Self.name) TEMPLATE template0"
        if case .success(let disk) = disk {
            _ = try await PostgresShell.run(
                "CREATE TABLESPACE small LOCATION '\(disk.tablespace)'",
                on: cluster.uri()
            )
            create += " TABLESPACE small"
        }
        _ = try await PostgresShell.run(create, on: cluster.uri())
    }

    /// For the nodes.
    var uri: String { cluster.uri(database: Self.name) }

    /// The store, past all nodes.
    func store() -> GameStore { GameStore(pool: pool()) }

    /// Connections, past all nodes.
    func pool() -> PostgresPool {
        PostgresPool(
            configuration: .init(uri: uri, maximumConnections: 2, applicationName: "rangers-bench"),
            logger: Logger(label: "rangers-bench") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Ends every session but its own.
    /// - Returns: how many there were.
    func terminateBackends() async throws -> Int {
        let text = try await PostgresShell.run(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = '\(Self.name)' AND pid <> pg_backend_pid();
            """,
            on: cluster.uri()
        )
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// Stops it as a crash does.
    func crash() async throws { try await cluster.stop(.immediate) }

    /// Starts it again.
    func start() async throws { try await cluster.start() }

    /// Reads in a snapshot that stays open for so long.
    func pinSnapshot(for length: Duration) async throws {
        _ = try await PostgresShell.run(
            """
            BEGIN ISOLATION LEVEL REPEATABLE READ;
            SELECT count(*) FROM pg_class;
            SELECT pg_sleep(\(length / .seconds(1)));
            COMMIT;
            """,
            on: uri
        )
    }

    /// Keeps the newest live row of a kind, or the lease of its shard, locked for so long, in a session of its own, and changes nothing.
    /// - Returns: the row's shard; nil when nothing lives.
    func lockRow(_ row: ChaosFault.Row, for length: Duration) async throws -> Int? {
        let activity = "activities WHERE state = 'live' ORDER BY adventure_id DESC LIMIT 1"
        let source =
            switch row {
            case .activity: activity
            case .adventure: "adventures WHERE live ORDER BY adventure_id DESC LIMIT 1"
            case .lease: "leases WHERE shard = (SELECT shard FROM \(activity))"
            }
        let text = try await PostgresShell.run(
            """
            BEGIN;
            SELECT shard FROM \(source) FOR UPDATE;
            SELECT pg_sleep(\(length / .seconds(1)));
            ROLLBACK;
            """,
            on: uri
        )
        return text.split(separator: "\n").first.flatMap { Int($0) }
    }

    /// Whether PostgreSQL itself says that its disk is full when a table is to grow.
    func refusesToGrow() async -> Bool {
        do {
            _ = try await PostgresShell.run(
                """
                \\set VERBOSITY verbose
                BEGIN;
                CREATE TABLE ballast AS SELECT repeat('x', 1000) FROM generate_series(1, 2000);
                ROLLBACK;
                """,
                on: uri
            )
            return false
        } catch {
            return "\(error)".contains("53100")
        }
    }

    /// Gives the disk back; the server must not run any more.
    func end() async {
        try? await cluster.stop(.immediate)
        if case .success(let disk) = disk { await disk.unmount() }
    }
}
