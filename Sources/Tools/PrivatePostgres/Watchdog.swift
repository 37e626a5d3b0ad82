import Foundation

/// A shell that cleans up when this process ends, even by SIGKILL, or when the watchdog is released.
///
/// The shell reads from a pipe whose writing end only this process has, and cleans up at the end of file. Each line in
/// the pipe names a process or database to clean up.
public final class Watchdog: Sendable {
    private static let shell = "/bin/sh"
    private let pipe: Pipe

    /// Creates a watchdog that runs a command and then removes a folder.
    /// - Throws: the error of starting the shell.
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

    /// Creates a watchdog that drops the announced databases.
    ///
    /// The password is passed in the environment, since every user can read the arguments of a process.
    /// - Parameter uri: the URI of the server, with a user that may drop databases.
    /// - Throws: ``PrivatePostgresError`` for a malformed URI; the error of starting the shell.
    convenience init(droppingDatabasesOf uri: String) throws {
        let server = try DatabaseAddress(uri: uri)
        try self.init(
            script: """
                names=$(cat)
                for name in $names; do
                    psql -q -c "DROP DATABASE IF EXISTS $name WITH (FORCE)" "$1" > /dev/null 2>&1
                done
                """,
            arguments: [server.uri],
            environment: server.password.map { ["PGPASSWORD": $0] } ?? [:]
        )
    }

    /// Creates a watchdog that kills the announced processes and then removes a folder.
    /// - Throws: the error of starting the shell.
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

    /// Starts the shell.
    /// - Parameters:
    ///   - script: the shell script; `$1` and so on are the arguments.
    ///   - arguments: the arguments of the script; every user can read them.
    ///   - environment: additional environment variables.
    /// - Throws: the error of starting the shell.
    private init(script: String, arguments: [String], environment: [String: String] = [:]) throws {
        pipe = Pipe()
        // No other child may inherit the writing end.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.shell)
        // The watchdog must survive Ctrl-C, which ends the tests.
        process.arguments = ["-c", "trap '' HUP INT TERM\n" + script, "watchdog"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Announces a process, which is killed if it still runs at the end.
    ///
    /// The shell compares the start time of the process, since its identifier may belong to another process by then.
    /// - Throws: an error when the shell has exited.
    public func announce(process: Int32) throws {
        // A process that has exited has no entry in /proc.
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let start = Self.start(stat)
        else { return }
        try announce("\(process):\(start)")
    }

    /// Returns the start time: field 22 of `/proc/PID/stat`, see proc(5).
    ///
    /// The name, in parentheses, may contain spaces.
    private static func start(_ stat: String) -> Substring? {
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        return fields.count > 20 ? fields[20] : nil
    }

    /// Writes a line to the shell.
    func announce(_ name: String) throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data((name + "\n").utf8))
    }

    deinit {
        // The pipe would also close by itself; the explicit call shows how the server is stopped.
        try? pipe.fileHandleForWriting.close()
    }
}
