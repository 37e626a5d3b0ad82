import Foundation
import GameStore
import PostgresClient
import PrivatePostgres

/// The private PostgreSQL server of a run, and the faults that are injected into it.
struct ChaosDatabase: Sendable {
    private static let name = "chaos"
    private static let settings = [
        // Checkpoints occur within a run, as in production.
        "max_wal_size": "256MB", "checkpoint_timeout": "60s", "shared_buffers": "256MB",
    ]

    private let cluster: PrivateCluster
    /// The disk with the tables, or the reason for which they are on the default disk.
    let disk: Result<SmallDisk, BenchmarkFailure>

    /// Starts a server whose commits reach the disk, with an empty database.
    ///
    /// The tables are on a disk of that size, if one can be mounted.
    init(diskMegabytes: Int) async throws {
        cluster = try await PrivateCluster.start(.init(isDurable: true, settings: Self.settings))
        disk = await SmallDisk.mount(megabytes: diskMegabytes)
        var create = "CREATE DATABASE \(Self.name) TEMPLATE template0"
        if case .success(let disk) = disk {
            _ = try await PostgresShell.run("CREATE TABLESPACE small LOCATION '\(disk.tablespace)'", on: cluster.uri())
            create += " TABLESPACE small"
        }
        _ = try await PostgresShell.run(create, on: cluster.uri())
    }

    var uri: String { cluster.uri(database: Self.name) }

    /// Returns a store that bypasses the nodes.
    func store() -> GameStore { GameStore(pool: pool()) }

    /// Returns a pool that bypasses the nodes.
    func pool() -> PostgresPool {
        PostgresPool(
            configuration: .init(uri: uri, maximumConnections: 2, applicationName: "rangers-bench"),
            logger: silentLogger
        )
    }

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

    /// Stops the server and unmounts the disk.
    func stop() async {
        try? await cluster.stop(.immediate)
        if case .success(let disk) = disk { await disk.unmount() }
    }
}

/// A small file system in memory, which can be filled; only root can mount it.
///
/// Its content survives crashes of PostgreSQL, but not of the machine.
struct SmallDisk: Sendable {
    private static let user = "postgres"
    private static let megabyte = 1_048_576

    private let folder: URL
    /// The watchdog, which unmounts the file system when this process ends without having done so.
    private let watchdog: Watchdog

    /// Mounts a file system.
    /// - Returns: the disk, or the reason why it cannot be mounted.
    static func mount(megabytes: Int) async -> Result<SmallDisk, BenchmarkFailure> {
        guard geteuid() == 0 else { return .failure(BenchmarkFailure("only root can mount a file system")) }
        guard let owner = getpwnam(user) else { return .failure(BenchmarkFailure("there is no user \(user)")) }
        let folder = URL(filePath: "/tmp/rangers-disk-\(UUID())")
        let identity = "uid=\(owner.pointee.pw_uid),gid=\(owner.pointee.pw_gid)"
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await run(
                "mount",
                ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0711,\(identity)", "tmpfs", folder.path]
            )
            let disk = SmallDisk(
                folder: folder,
                watchdog: try Watchdog(removing: folder.path, after: ["umount", "--lazy", folder.path])
            )
            try FileManager.default.createDirectory(atPath: disk.tablespace, withIntermediateDirectories: true)
            try await run("chown", ["\(user):", disk.tablespace])
            return .success(disk)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            return .failure(BenchmarkFailure("the file system cannot be mounted: \(error)"))
        }
    }

    /// A folder that belongs to the server's user.
    var tablespace: String { folder.appending(path: "tablespace").path }

    /// Fills the disk to its last byte.
    func fill() async throws {
        try await BlockingWork.run {
            try Data().write(to: ballast)
            let file = try FileHandle(forWritingTo: ballast)
            defer { try? file.close() }
            for size in [Self.megabyte, 4_096] {
                let block = Data(repeating: 0, count: size)
                while (try? file.write(contentsOf: block)) != nil {}
            }
        }
    }

    /// Frees the space again.
    func empty() throws {
        guard FileManager.default.fileExists(atPath: ballast.path) else { return }
        try FileManager.default.removeItem(at: ballast)
    }

    /// Unmounts the file system, even if it is in use.
    func unmount() async {
        try? await Self.run("umount", ["--lazy", folder.path])
        try? FileManager.default.removeItem(at: folder)
    }

    private var ballast: URL { folder.appending(path: "ballast") }

    private static func run(_ program: String, _ arguments: [String]) async throws {
        try await BlockingWork.run { _ = try HelperProcess(program: program, arguments: arguments).finish() }
    }
}
