import Foundation

/// A shell that cleans up when this process has ended, even by SIGKILL, or when the watchdog is released.
///
/// It reads from a pipe whose other end only this process has; the end of file is the sign. Every line that comes
/// before names one thing more to clean up.
final class Watchdog: Sendable {
    private static let shell = "/bin/sh"
    private let pipe: Pipe

    /// Runs a command, then removes a folder.
    convenience init(removing directory: String, after command: [String]) throws {
        try self.init(
            script: """
                cat > /dev/null
                directory=$1; shift
                "$@" > /dev/null 2>&1
                rm -rf -- "$directory"
                """,
            arguments: [directory] + command
        )
    }

    /// Drops the databases that are announced.
    ///
    /// Everyone on the machine can read the arguments of its processes, but only their owner the environment: the
    /// password goes there.
    /// - Parameter uri: where, as a user who may.
    /// - Throws: ``TestServerError`` when it is no URI, or what keeps the shell from being started.
    convenience init(droppingDatabasesOf uri: String) throws {
        let server = try ServerAddress(uri: uri)
        try self.init(
            script: """
                names=$(cat)
                for name in $names; do
                    psql -q -c "DROP DATABASE IF EXISTS $name WITH (FORCE)" "$1" > /dev/null 2>&1
                done
                """,
            arguments: [server.uri],
            // libpq's name for it.
            environment: server.password.map { ["PGPASSWORD": $0] } ?? [:]
        )
    }

    /// - Parameters:
    ///   - script: for the shell; `$1` and so on are the arguments.
    ///   - arguments: for everyone to see.
    ///   - environment: what the shell has besides this process's own.
    /// - Throws: when the shell cannot be started.
    private init(script: String, arguments: [String], environment: [String: String] = [:]) throws {
        pipe = Pipe()
        // No other child may inherit the end whose closing is the sign.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.shell)
        // Ctrl-C ends the tests; the watchdog must survive it to see that.
        process.arguments = ["-c", "trap '' HUP INT TERM\n" + script, "watchdog"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Names one thing more to clean up.
    func announce(_ name: String) throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data((name + "\n").utf8))
    }

    deinit {
        // The pipe closes by itself too; said here, since this is what stops the server.
        try? pipe.fileHandleForWriting.close()
    }
}
