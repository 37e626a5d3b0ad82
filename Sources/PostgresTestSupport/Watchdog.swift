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
    /// - Parameter uri: where, as a user who may.
    /// - Throws: when the shell cannot be started.
    convenience init(droppingDatabasesOf uri: String) throws {
        try self.init(
            script: """
                names=$(cat)
                for name in $names; do
                    psql -q -c "DROP DATABASE IF EXISTS $name WITH (FORCE)" "$1" > /dev/null 2>&1
                done
                """,
            arguments: [uri]
        )
    }

    private init(script: String, arguments: [String]) throws {
        pipe = Pipe()
        // No other child may inherit the end whose closing is the sign.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.shell)
        // Ctrl-C ends the tests; the watchdog must survive it to see that.
        process.arguments = ["-c", "trap '' HUP INT TERM\n" + script, "watchdog"] + arguments
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
