import Foundation
import PrivatePostgres

/// A disk of its own for a database, small enough to be filled: a file system in memory, which only root can mount.
///
/// What it holds outlives every process of PostgreSQL, and so whatever is done to these; not the machine's end.
struct SmallDisk: Sendable {
    private static let user = "postgres"
    private static let megabyte = 1_048_576

    private let folder: URL
    /// Gives it back when this program has ended without having done so.
    private let watchdog: Watchdog

    /// Mounts one.
    /// - Returns: the disk, or why there can be none.
    static func mount(megabytes: Int) async -> Result<SmallDisk, MeasurementFailure> {
        guard geteuid() == 0 else { return .failure(MeasurementFailure("only root can mount a small disk")) }
        guard let owner = getpwnam(user) else { return .failure(MeasurementFailure("there is no user \(user)")) }
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
            return .failure(MeasurementFailure("a small disk cannot be mounted: \(error)"))
        }
    }

    /// A folder that belongs to the server.
    var tablespace: String { folder.appending(path: "tablespace").path }

    /// Fills it to its last byte.
    func fill() async throws {
        try await BlockingWork.run {
            try Data().write(to: ballast)
            let file = try FileHandle(forWritingTo: ballast)
            defer { try? file.close() }
            for size in [Self.megabyte, 4_096] {
                let block = Data(repeating: 0, count: size)
                // Until there is no room for one more.
                while (try? file.write(contentsOf: block)) != nil {}
            }
        }
    }

    /// Gives the room back.
    func empty() throws {
        guard FileManager.default.fileExists(atPath: ballast.path) else { return }
        try FileManager.default.removeItem(at: ballast)
    }

    /// Gives the disk back, whoever still looks at it.
    func unmount() async {
        try? await Self.run("umount", ["--lazy", folder.path])
        try? FileManager.default.removeItem(at: folder)
    }

    private var ballast: URL { folder.appending(path: "ballast") }

    private static func run(_ program: String, _ arguments: [String]) async throws {
        try await BlockingWork.run { _ = try HelperProcess(program: program, arguments: arguments).finish() }
    }
}
