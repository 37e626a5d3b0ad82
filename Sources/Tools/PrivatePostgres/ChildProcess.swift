import Foundation

/// A child process that may leave a server running.
///
/// Foundation's `Process` considers a program running as long as any of its children runs, since they inherit the
/// socket that it watches. `posix_spawn` uses no such socket.
struct ChildProcess {
    /// The shell command that closes all inherited descriptors and executes the program.
    ///
    /// A server that inherited the sockets of other tests would keep them open.
    private static let launcher = [
        "/bin/bash", "-c",
        #"for file in /proc/self/fd/*; do ((${file##*/} < 3)) || eval "exec ${file##*/}>&-"; done; exec "$@""#,
        "launcher",
    ]

    private let identifier: pid_t

    /// Starts a program with an empty standard input.
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - output: the file for its output. A pipe would stay open in a server that the program starts.
    /// - Throws: ``PrivatePostgresError`` when the program cannot be started.
    init(_ command: [String], output: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        // A separate process group, so that the process does not get SIGINT from Ctrl-C.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let launch = Self.launcher + command
        var arguments = launch.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var identifier = pid_t()
        let status = posix_spawn(&identifier, launch[0], &actions, &attributes, &arguments, environ)
        guard status == 0 else {
            throw PrivatePostgresError("\(command[0]) cannot be started: \(String(cString: strerror(status)))")
        }
        self.identifier = identifier
    }

    /// Waits for the process to exit.
    /// - Returns: the exit status, or 128 plus the signal's number, as in a shell.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            // Blocks a new thread rather than one of Swift's pool, which has one per core.
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
        }
    }
}
