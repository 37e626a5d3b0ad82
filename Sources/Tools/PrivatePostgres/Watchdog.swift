import Foundation

/// A shell that cleans up when this process has ended, even by SIGKILL, or when the watchdog is released.
///
/// It reads from a pipe whose other end only this process has; the end of file is the sign. Every line that comes
/// before names one thing more to clean up.
public final class Watchdog: Sendable {
    private static let shell = "/bin/sh"
    private let pipe: Pipe

    /// Runs a command, then removes a folder.
    /// - Throws: when the shell cannot be started.
    public convenience init(removing directory: String, after command: [String]) throws {
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

    /// Ends the processes that were announced and still run, then removes a folder.
    /// - Throws: when the shell cannot be started.
    public convenience init(endingProcessesAndRemoving directory: String) throws {
        try self.init(
            script: """
                directory=$1
                processes=$(cat)
                for process in $processes; do
                    stat=$(cat "/proc/${process%:*}/stat" 2> /dev/null) || continue
                    set -- ${stat##*)}
                    [ "${20}" = "${process#*:}" ] && kill -KILL "${process%:*}"
                done
                rm -rf -- "$directory"
                """,
            arguments: [directory]
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

    /// Names a process that is to be ended, unless it has ended by itself.
    ///
    /// With the moment at which it was started, since another process may have its number by then.
    /// - Throws: when the watchdog is gone.
    public func announce(process: Int32) throws {
        // A process that is gone already has none, and needs no end.
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let start = Self.start(stat)
        else { return }
        try announce("\(process):\(start)")
    }

    /// Field 22 of what `/proc` says of a process, see proc(5); its name, in parentheses, may hold anything.
    private static func start(_ stat: String) -> Substring? {
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        return fields.count > 20 ? fields[20] : nil
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
