import Foundation
import Logging
import PostgresClient
import Synchronization

/// A PostgreSQL of one's own for a test or a measurement: made empty, thrown away at the end.
///
/// It lives in a short folder below `/tmp` (the path of a unix socket is limited to 107 bytes), which only its owner
/// can enter, and disturbs no other PostgreSQL. PostgreSQL refuses to run as root; as root everything of it runs as
/// the user `postgres`. A ``Watchdog`` stops the server and deletes the folder when the last reference is gone or the
/// process has ended, however it ended.
public final class PrivateCluster: Sendable {
    /// What a cluster is to be like.
    public struct Options: Sendable {
        /// Whether commits reach the disk: false for tests, true for what measures commits.
        public var isDurable: Bool
        /// Whether it also listens on a free port of 127.0.0.1, where a password is asked for.
        public var listensOnTCP: Bool
        /// Further settings of `postgresql.conf`, by name.
        public var settings: [String: String]

        /// Options with the defaults for tests: fast, on its unix socket only.
        public init(isDurable: Bool = false, listensOnTCP: Bool = false, settings: [String: String] = [:]) {
            self.isDurable = isDurable
            self.listensOnTCP = listensOnTCP
            self.settings = settings
        }
    }

    /// How the server is to stop.
    public enum StopMode: String, Sendable {
        /// Ends all sessions, rolls back, writes everything: SIGINT.
        case fast
        /// Drops everything at once, as a crash does: SIGQUIT.
        case immediate
    }

    /// The superuser's name.
    public static let superuser = "postgres"
    /// The superuser's password, asked for on TCP only.
    public let password: String
    /// The TCP port, nil when the cluster listens on its unix socket only.
    public let tcpPort: Int?
    private let directory: String
    private let tools: ServerTools
    private let watchdog: Watchdog
    private let databases = Atomic(0)

    private init(directory: String, tools: ServerTools, password: String, tcpPort: Int?) throws {
        self.directory = directory
        self.tools = tools
        self.password = password
        self.tcpPort = tcpPort
        watchdog = try Watchdog(
            removing: directory,
            after: tools.command("pg_ctl", ["-D", directory + "/data", "-m", "immediate", "-w", "stop"])
        )
    }

    /// Makes a cluster and starts it, which takes a second or two.
    /// - Throws: ``TestServerError`` when PostgreSQL is not installed or does not start.
    public static func start(_ options: Options = Options()) async throws -> PrivateCluster {
        let tools = try ServerTools()
        let directory = try tools.makeDirectory()
        let cluster = try PrivateCluster(
            directory: directory,
            tools: tools,
            password: UUID().uuidString,
            tcpPort: options.listensOnTCP ? try freePort() : nil
        )
        try await cluster.initialize(options)
        try await cluster.start()
        return cluster
    }

    /// The URI of a database, over the unix socket and as superuser.
    public func uri(database: String = "postgres") -> String {
        "postgresql:///\(database)?host=\(directory)&port=\(socketPort)&user=\(Self.superuser)"
    }

    /// The URI of a database over TCP, nil when the cluster does not listen there.
    public func tcpURI(database: String = "postgres") -> String? {
        tcpPort.map { "postgresql://\(Self.superuser):\(password)@127.0.0.1:\($0)/\(database)" }
    }

    /// The path of a program that comes with the server, such as `pgbench`.
    public func program(_ name: String) -> String { tools.path(of: name) }

    /// Creates an empty database.
    /// - Returns: its URI.
    public func database() async throws -> String {
        let name = "test_\(databases.add(1, ordering: .relaxed).newValue)"
        try await createDatabase(name, on: uri())
        return uri(database: name)
    }

    /// Starts the server again after ``stop(_:)``.
    public func start() async throws {
        try await tools.run(
            "pg_ctl",
            ["-D", directory + "/data", "-l", directory + "/server.log", "-w", "-s", "start"],
            in: directory
        )
    }

    /// Stops the server; the cluster keeps what was committed.
    public func stop(_ mode: StopMode = .fast) async throws {
        try await tools.run(
            "pg_ctl",
            ["-D", directory + "/data", "-m", mode.rawValue, "-w", "-s", "stop"],
            in: directory
        )
    }

    /// Stops the server and starts it again.
    public func restart(_ mode: StopMode = .fast) async throws {
        try await stop(mode)
        try await start()
    }

    /// Has all of its processes stand still, as on a machine whose disk hangs: connections are taken, and nothing answers.
    ///
    /// It must go on (``resume()``) before it is stopped.
    public func pause() throws {
        // First the one that makes the others.
        try signal(SIGSTOP, to: try postmaster)
        for child in try children() { try signal(SIGSTOP, to: child) }
    }

    /// Has them go on.
    public func resume() throws {
        for child in try children() { try signal(SIGCONT, to: child) }
        try signal(SIGCONT, to: try postmaster)
    }

    private var postmaster: pid_t {
        get throws {
            let text = try String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)
            guard let line = text.split(separator: "\n").first, let identifier = pid_t(line) else {
                throw TestServerError("postmaster.pid has no process identifier")
            }
            return identifier
        }
    }

    private func children() throws -> [pid_t] {
        let parent = try postmaster
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { process in
            // One that is gone by now has none.
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            return status.split(separator: "\n").contains { $0.split(separator: "\t") == ["PPid:", "\(parent)"] }
        }
    }

    private func signal(_ signal: Int32, to process: pid_t) throws {
        guard kill(process, signal) == 0 || errno == ESRCH else {
            throw TestServerError("process \(process) gets no signal: \(String(cString: strerror(errno)))")
        }
    }

    private var socketPort: Int { tcpPort ?? 5_432 }

    private func initialize(_ options: Options) async throws {
        let passwordFile = directory + "/password"
        try Data(password.utf8).write(to: URL(fileURLWithPath: passwordFile))
        try tools.give(passwordFile)
        try await tools.run(
            "initdb",
            [
                "-D", directory + "/data", "-U", Self.superuser, "--pwfile", passwordFile, "--auth-local=trust",
                "--auth-host=scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions",
            ],
            in: directory
        )
        var settings = [
            "unix_socket_directories": directory,
            "listen_addresses": tcpPort == nil ? "" : "127.0.0.1",
            "port": "\(socketPort)",
            // Every test with a database has a pool of its own, and they run side by side.
            "max_connections": "1000",
        ]
        if !options.isDurable {
            settings.merge(["fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"]) { $1 }
        }
        settings.merge(options.settings) { $1 }
        let text = settings.sorted { $0.key < $1.key }
            .map { "\($0.key) = '\($0.value.replacing("'", with: "''"))'\n" }.joined()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/data/postgresql.conf"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(("\n" + text).utf8))
        try file.close()
    }

    /// A TCP port that nobody listens on at this moment.
    private static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
            }
        }
        guard isBound else { throw TestServerError("no free TCP port: \(String(cString: strerror(errno)))") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Creates an empty database, by the superuser that a URI names.
func createDatabase(_ name: String, on uri: String) async throws {
    let pool = PostgresPool(
        configuration: .init(uri: uri, maximumConnections: 1, applicationName: "test-support"),
        logger: Logger(label: "test-support")
    )
    // The files are copied from template0, which nobody can be connected to.
    try await pool.withConnection { try await $0.script("CREATE DATABASE \(name) TEMPLATE template0") }
}
