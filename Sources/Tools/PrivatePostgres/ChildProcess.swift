import Foundation

/// A program that is started and waited for.
///
/// Foundation's `Process` takes a program for running as long as any of its children is, since they inherit the
/// socket that it watches; a program that leaves a server running would never end for it. Therefore `posix_spawn`.
struct ChildProcess {
    /// Closes what it inherits, and becomes the program: a server that held the sockets of other tests would keep their
    /// peers from seeing that they were closed.
    private static let launcher = [
        "/bin/bash", "-c",
        #"for file in /proc/self/fd/*; do ((${file##*/} < 3)) || eval "exec ${file##*/}>&-"; done; exec "$@""#,
        "launcher",
    ]

    private let identifier: pid_t

    /// Starts a program with nothing to read.
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - output: the file that its output goes to. No pipe: a server that it starts keeps its output open.
    /// - Throws: ``TestServerError`` when it cannot be started.
    init(_ command: [String], output: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        // A group of its own, so that Ctrl-C does not reach it.
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
            throw TestServerError("\(command[0]) cannot be started: \(String(cString: strerror(status)))")
        }
        self.identifier = identifier
    }

    /// Waits for the end.
    /// - Returns: the exit status, or 128 and the signal's number as a shell would tell.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            // Blocks a thread of its own: those of the global queue are Swift's too, as many as there are cores.
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
        }
    }
}
