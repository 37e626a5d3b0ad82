import Foundation
import GameStore
import PostgresClient
import PrivatePostgres

/// The private PostgreSQL server of a run, and the faults that are injected into it.
struct ChaosDatabase: Sendable {
    private static let name = "chaos"
    private static let diskMegabytes = 512
    private static let settings = [
        // Checkpoints occur within a run, as in production.
        "max_wal_size": "256MB", "checkpoint_timeout": "60s", "shared_buffers": "256MB",
    ]

    private let cluster: PrivateCluster
    /// The disk with the tables, or the reason for which they are on the default disk.
    let disk: Result<SmallDisk, BenchmarkFailure>

    /// Starts a server whose commits reach the disk, with an empty database.
    ///
    /// The tables are on a small disk, if one can be mounted.
    init() async throws {
        cluster = try await PrivateCluster.start(.init(isDurable: true, settings: Self.settings))
        disk = await SmallDisk.mount(megabytes: Self.diskMegabytes)
        var create = "CREATE DATABASE \(Self.name) TEMPLATE template0"
        if case .success(let disk) = disk {
            _ = try await PostgresShell.run("CREATE TABLESPACE small LOCATION '\(disk.tablespace)'", on: cluster.uri())
            create += " TABLESPACE small"
        }
        _ = try await PostgresShell.run(create, on: cluster.uri())
    }

    var uri: String { cluster.uri(database: Self.name) }

    /// The unix socket of the server.
    var socketPath: String { cluster.socketPath }

    /// Returns the URI of the database behind a relay at a port of 127.0.0.1.
    func uri(atRelay port: Int) -> String {
        "postgresql://\(PrivateCluster.superuser)@127.0.0.1:\(port)/\(Self.name)"
    }

    /// Returns a store that bypasses the nodes.
    func store() -> GameStore { GameStore(pool: pool()) }

    /// Returns a pool that bypasses the nodes.
    func pool() -> PostgresPool { BenchmarkPostgres.pool(uri, connections: 2) }

    /// Terminates every other session.
    /// - Returns: their number.
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

    /// Stops the server at once, as in a crash.
    func crash() async throws { try await cluster.stop(.immediate) }

    /// Starts the server again.
    func start() async throws { try await cluster.start() }

    /// Stops the server at once, and starts it again as it was a while before.
    /// - Parameter age: the time from the moment of the copy to the stop.
    /// - Throws: `PrivatePostgresError`.
    func loseCommits(of age: Duration) async throws {
        try await cluster.copyData()
        try await Task.sleep(for: age)
        try await cluster.setBack()
    }

    /// Holds a snapshot open in another session.
    func pinSnapshot(for length: Duration) async throws {
        try await BenchmarkPostgres.whileSnapshotIsPinned(on: uri) { try await Task.sleep(for: length) }
    }

    /// Locks a row in another session, without changing it: the newest live row of a kind, or the lease of the newest
    /// live activity's shard.
    /// - Returns: the row's shard; nil without a live row.
    func lockRow(_ row: ChaosFault.Row, for length: Duration) async throws -> Int? {
        let activity = "activities WHERE state = 'live' ORDER BY adventure_id DESC LIMIT 1"
        let source =
            switch row {
            case .activity: activity
            case .adventure: "adventures WHERE ended_at IS NULL ORDER BY adventure_id DESC LIMIT 1"
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

    /// Locks rows of `shards` in another session, without changing them: those of the shards with the newest live
    /// adventures.
    /// - Returns: the shards; empty without a live adventure.
    func lockShards(_ count: Int, for length: Duration) async throws -> [Int] {
        let text = try await PostgresShell.run(
            """
            BEGIN;
            SELECT shard FROM shards WHERE shard IN (
                SELECT shard FROM adventures WHERE ended_at IS NULL GROUP BY shard ORDER BY max(started_at) DESC
                LIMIT \(count)
            ) ORDER BY shard FOR UPDATE;
            SELECT pg_sleep(\(length / .seconds(1)));
            ROLLBACK;
            """,
            on: uri
        )
        return text.split(separator: "\n").compactMap { Int($0) }
    }

    /// Whether PostgreSQL reports a full disk (SQLSTATE 53100) when a table grows.
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
        } catch { return "\(error)".contains("53100") }
    }
}

/// A small file system in memory, which can be filled; only root can mount it.
///
/// Its content survives crashes of PostgreSQL, but not of the machine.
struct SmallDisk: Sendable {
    private static let user = "postgres"

    /// A folder that belongs to the server's user.
    let tablespace: String
    private let ballast: String
    private let folder: TemporaryFolder
    /// The watchdog, which unmounts the file system, even if it is in use, when this process ends.
    private let watchdog: Watchdog

    /// Mounts a file system.
    /// - Returns: the disk, or the reason why it cannot be mounted.
    static func mount(megabytes: Int) async -> Result<SmallDisk, BenchmarkFailure> {
        guard geteuid() == 0 else { return .failure(BenchmarkFailure("only root can mount a file system")) }
        do { return .success(try await SmallDisk(megabytes: megabytes)) } catch {
            return .failure(BenchmarkFailure("the file system cannot be mounted: \(error)"))
        }
    }

    private init(megabytes: Int) async throws {
        folder = try TemporaryFolder()
        let disk = "/tmp/rangers-disk-\(UUID())"
        tablespace = "\(disk)/tablespace"
        ballast = "\(disk)/ballast"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        watchdog = try Watchdog(removing: disk, after: ["umount", "--lazy", disk])
        try await run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0711", "tmpfs", disk)
        try await run("install", "--directory", "--owner=\(Self.user)", "--mode=0700", tablespace)
    }

    /// Fills the disk to its last byte.
    func fill() async {
        // Fails, since it ends when the disk is full.
        try? await run("cp", "/dev/zero", ballast)
    }

    /// Frees the space again.
    func empty() throws { try FileManager.default.removeItem(atPath: ballast) }

    private func run(_ program: String, _ arguments: String...) async throws {
        try await ChildProgram(program, arguments, in: folder).finish()
    }
}
