import Foundation
public import HTTP2Transport

/// A server in a separate process, with a given TLS identity, which runs until ``stop()``.
///
/// A paused server does not respond, but the kernel still accepts connections and bytes for it until its buffers are
/// full.
public final class PeerProcess {
    /// The port of 127.0.0.1 that the server listens on.
    public let port: Int

    private let identifier: pid_t
    private let folder: URL
    /// The writing end of the standard input of `s_server` and `faulty-peer`, which exit at its end of file.
    private let input: CInt

    /// Starts a server and waits for its ready line: the line that begins with `readyLine` and, unless `port` is given,
    /// ends with `:PORT`.
    private init(
        _ identity: TLSIdentity,
        program: URL,
        port: Int? = nil,
        readyLine: String,
        arguments: (_ certificate: String, _ key: String) -> [String]
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "identity-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = folder.appending(path: "cert.pem")
        let key = folder.appending(path: "key.pem")
        try identity.certificateChainPEM.write(to: certificate, atomically: true, encoding: .utf8)
        try identity.privateKeyPEM.write(to: key, atomically: true, encoding: .utf8)
        // A file, since a full pipe would block the server.
        let output = folder.appending(path: "output")
        (identifier, input) = try Self.spawn(
            [program.path] + arguments(certificate.path, key.path),
            output: output.path
        )
        do {
            let line = try Self.awaitLine(readyLine, in: output, of: identifier)
            guard let port = port ?? line.split(separator: ":").last.flatMap({ Int($0) }) else {
                throw NeverListened(program: program.path)
            }
            self.port = port
        } catch {
            Self.end(identifier, input, folder)
            throw error
        }
    }

    /// Starts a program with a new socket as its standard input.
    ///
    /// Foundation's `Process` considers a program running as long as any process has inherited the socket that it
    /// watches, such as one that another test starts at the same time. `posix_spawn` uses no such socket.
    /// - Returns: the process, and the descriptor that ends the program's input when it is closed.
    private static func spawn(_ command: [String], output: String) throws -> (identifier: pid_t, input: CInt) {
        // No other process may inherit either end. Unlike pipe(2), socketpair(2) sets close-on-exec atomically.
        var ends: [CInt] = [0, 0]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw NeverListened(program: command[0]) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var identifier = pid_t()
        guard posix_spawn(&identifier, command[0], &actions, nil, &arguments, environ) == 0 else {
            close(ends[1])
            throw NeverListened(program: command[0])
        }
        return (identifier, ends[1])
    }

    /// Waits until the program has printed a line with this beginning.
    /// - Throws: ``NeverListened`` when the program exits first.
    private static func awaitLine(_ beginning: String, in output: URL, of identifier: pid_t) throws -> Substring {
        while try status(of: identifier) != "Z" {
            // Only complete lines count. An empty file is not read, since each read of one costs Foundation some
            // memory.
            let isEmpty = try FileManager.default.attributesOfItem(atPath: output.path)[.size] as? Int == 0
            let text = isEmpty ? "" : try String(contentsOf: output, encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix(beginning) }) { return line }
            // The program may need this core.
            usleep(1000)
        }
        throw NeverListened(program: output.path)
    }

    /// Stops the process with SIGSTOP, and returns when all of its threads have stopped.
    public func pause() throws {
        kill(identifier, SIGSTOP)
        // kill(2) may return before every thread has stopped.
        while try Self.status(of: identifier) != "T" { sched_yield() }
    }

    /// Continues a paused process.
    public func resume() {
        kill(identifier, SIGCONT)
    }

    /// Kills the process, paused or not, and removes its files.
    public func stop() {
        Self.end(identifier, input, folder)
    }

    private static func end(_ identifier: pid_t, _ input: CInt, _ folder: URL) {
        // A child inherits the blocked signals of the thread that started it, SIGTERM among them; SIGKILL cannot be
        // blocked.
        kill(identifier, SIGKILL)
        while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        close(input)
        // A folder that remains in the temporary directory does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns the state of a process as one letter: the field after the name in parentheses in `/proc/PID/stat`, see
    /// proc(5).
    private static func status(of identifier: pid_t) throws -> Character? {
        let path = "/proc/\(identifier)/stat"
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: ")").last?.dropFirst().first
    }
}

// MARK: - Programs

extension PeerProcess {
    /// Starts `openssl s_server`, which speaks TLS but not HTTP/2.
    public static func openSSL(_ identity: TLSIdentity, options: [String] = []) throws -> PeerProcess {
        let program = URL(filePath: "/usr/bin/openssl")
        return try PeerProcess(identity, program: program, readyLine: "ACCEPT") { certificate, key in
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + options
        }
    }

    /// Starts `nghttpd`, the server of the nghttp2 project, which responds with the request's body.
    ///
    /// Another process may take the free port before `nghttpd` listens on it, which then exits: another port is tried.
    public static func nghttpd(_ identity: TLSIdentity, maxConcurrentStreams: Int = 1000) throws -> PeerProcess {
        let program = URL(filePath: "/usr/sbin/nghttpd")
        var attempts = 5
        while true {
            let port = try freePort()
            attempts -= 1
            do {
                return try PeerProcess(identity, program: program, port: port, readyLine: "IPv4: listen") {
                    [
                        "--verbose", "--echo-upload", "--max-concurrent-streams=\(maxConcurrentStreams)",
                        "--address=127.0.0.1", String(port), $1, $0,
                    ]
                }
            } catch is NeverListened where attempts > 0 {}
        }
    }

    /// Starts `faulty-peer`, which is built beside the tests.
    /// - Parameters:
    ///   - identity: the TLS identity of the peer.
    ///   - deed: the fault of the peer, and the fault's arguments.
    /// - Returns: the peer, which already listens.
    /// - Throws: an error when the peer cannot be started or its files cannot be written.
    public static func faulty(_ identity: TLSIdentity, _ deed: [String]) throws -> PeerProcess {
        guard let tests = Bundle.main.executableURL else { throw NeverListened(program: "faulty-peer") }
        let program = tests.deletingLastPathComponent().appending(path: "faulty-peer")
        return try PeerProcess(identity, program: program, readyLine: "Listening") { [$0, $1] + deed }
    }

    /// Returns a port that is free at this moment, since `nghttpd` does not report the port that it chose.
    private static func freePort() throws -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return try withUnsafeMutablePointer(to: &address) { pointer in
            let isBound = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
            }
            guard isBound else { throw NeverListened(program: "nghttpd") }
            return Int(UInt16(bigEndian: pointer.pointee.sin_port))
        }
    }
}

/// An error: a program could not be started, exited before it listened, or did not report its port.
struct NeverListened: Error {
    let program: String
}
