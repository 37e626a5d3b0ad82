import Foundation
public import HTTP2Transport

/// A server that is a process of its own, with an identity of ours, until `stop`.
///
/// It can be paused: the kernel then goes on accepting connections and bytes for it, up to its buffers, and nobody
/// answers.
public final class PeerProcess {
    /// The port of 127.0.0.1 that it listens on.
    public let port: Int

    private let identifier: pid_t
    private let folder: URL
    /// What s_server and faulty-peer read; they end when it does.
    private let input: CInt

    /// Its ready line is the one that it prints when it listens; it ends with `:PORT`.
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
        // A file and no pipe, which would stop it when it is full.
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

    /// Starts a program.
    ///
    /// Foundation's `Process` takes one for running as long as another process has inherited the socket that it watches,
    /// as those may that tests start at the same time; therefore `posix_spawn`.
    /// - Returns: the process, and what ends its input when it is closed.
    private static func spawn(_ command: [String], output: String) throws -> (identifier: pid_t, input: CInt) {
        // Neither end is to be inherited by other processes; pipe(2) could not be told so at once.
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

    /// Waits until the program has printed a line that begins so, or has ended.
    private static func awaitLine(_ beginning: String, in output: URL, of identifier: pid_t) throws -> Substring {
        while try status(of: identifier) != "Z" {
            // Whole lines only; reading an empty file costs Foundation some memory each time.
            let isEmpty = try FileManager.default.attributesOfItem(atPath: output.path)[.size] as? Int == 0
            let text = isEmpty ? "" : try String(contentsOf: output, encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix(beginning) }) { return line }
            // It needs this core for what is waited for.
            usleep(1000)
        }
        throw NeverListened(program: output.path)
    }

    /// Has it stand still; returns when it does.
    public func pause() throws {
        kill(identifier, SIGSTOP)
        // The signal is sent, which is not to say that each of its threads has met it.
        while try Self.status(of: identifier) != "T" { sched_yield() }
    }

    /// Lets it go on.
    public func resume() {
        kill(identifier, SIGCONT)
    }

    /// Ends it, paused or not.
    public func stop() {
        Self.end(identifier, input, folder)
    }

    private static func end(_ identifier: pid_t, _ input: CInt, _ folder: URL) {
        // A child inherits the blocked signals of the thread that started it, SIGTERM among them.
        kill(identifier, SIGKILL)
        while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        close(input)
        // A folder left behind in the temporary directory harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The state of a process in one letter (proc(5), `stat`): what follows its name in parentheses.
    private static func status(of identifier: pid_t) throws -> Character? {
        let path = "/proc/\(identifier)/stat"
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: ")").last?.dropFirst().first
    }
}

// MARK: - Programs

extension PeerProcess {
    /// `openssl s_server`, which speaks TLS but not HTTP/2.
    public static func openSSL(_ identity: TLSIdentity, options: [String] = []) throws -> PeerProcess {
        let program = URL(filePath: "/usr/bin/openssl")
        return try PeerProcess(identity, program: program, readyLine: "ACCEPT") { certificate, key in
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + options
        }
    }

    /// `nghttpd`, the server of the nghttp2 project, which answers a body with the same body.
    public static func nghttpd(_ identity: TLSIdentity, maxConcurrentStreams: Int = 1000) throws -> PeerProcess {
        let port = try freePort()
        let program = URL(filePath: "/usr/sbin/nghttpd")
        return try PeerProcess(identity, program: program, port: port, readyLine: "IPv4: listen") {
            [
                "--verbose", "--echo-upload", "--max-concurrent-streams=\(maxConcurrentStreams)",
                "--address=127.0.0.1", String(port), $1, $0,
            ]
        }
    }

    /// `faulty-peer`, which was built beside the tests.
    /// - Parameters:
    ///   - identity: who it is.
    ///   - deed: what it does wrong, and the deed's own arguments.
    /// - Returns: the peer, which listens by now.
    /// - Throws: when it cannot be started.
    public static func faulty(_ identity: TLSIdentity, _ deed: [String]) throws -> PeerProcess {
        guard let tests = Bundle.main.executableURL else { throw NeverListened(program: "faulty-peer") }
        let program = tests.deletingLastPathComponent().appending(path: "faulty-peer")
        return try PeerProcess(identity, program: program, readyLine: "Listening") { [$0, $1] + deed }
    }

    /// A port that was free a moment ago: nghttpd cannot tell which one it took.
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

/// A program that ended before it listened, or did not say where it does.
struct NeverListened: Error {
    let program: String
}
