import Foundation
import Logging
import PostgresClient
import Synchronization

/// A private PostgreSQL cluster for a test or a benchmark, empty at first and deleted at the end.
///
/// Its folder is below `/tmp`, since the path of a unix socket is limited to 107 bytes, and only its owner can enter
/// it. PostgreSQL refuses to run as root; as root, its programs run as the user `postgres`. A ``Watchdog`` stops the
/// server and deletes the folder when the last reference is released or the process ends for any reason.
public final class PrivateCluster: Sendable {
    /// The options of a cluster.
    public struct Options: Sendable {
        /// Whether commits reach the disk; false by default, true for benchmarks.
        public var isDurable: Bool
        /// Whether the server also listens on a free port of 127.0.0.1, with password authentication.
        public var listensOnTCP: Bool
        /// Additional settings of `postgresql.conf`, by name.
        public var settings: [String: String]

        /// Creates options; the defaults are those for tests.
        public init(isDurable: Bool = false, listensOnTCP: Bool = false, settings: [String: String] = [:]) {
            self.isDurable = isDurable
            self.listensOnTCP = listensOnTCP
            self.settings = settings
        }
    }

    /// The shutdown mode of the server.
    public enum StopMode: String, Sendable {
        /// Terminates sessions, rolls back, and writes a checkpoint: SIGINT.
        case fast
        /// Exits at once, as in a crash: SIGQUIT.
        case immediate
    }

    /// The superuser's name.
    public static let superuser = "postgres"
    /// The superuser's password, required on TCP only.
    public let password: String
    /// The TCP port; nil when the server listens on its unix socket only.
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

    /// Creates and starts a cluster, which takes a second or two.
    /// - Throws: ``PrivatePostgresError`` when PostgreSQL is not installed or does not start.
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

    /// Returns the URI of a database over the unix socket, as superuser.
    public func uri(database: String = "postgres") -> String {
        "postgresql:///\(database)?host=\(directory)&port=\(socketPort)&user=\(Self.superuser)"
    }

    /// The path of the unix socket, where connections need no password.
    public var socketPath: String { "\(directory)/.s.PGSQL.\(socketPort)" }

    /// Returns the URI of a database over TCP; nil when the server does not listen there.
    public func tcpURI(database: String = "postgres") -> String? {
        tcpPort.map { "postgresql://\(Self.superuser):\(password)@127.0.0.1:\($0)/\(database)" }
    }

    /// Returns the path of a program of the server's installation, such as `pgbench`.
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

    /// Stops the server; the cluster keeps committed data.
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

    /// Copies the data of the running server, including its tablespaces, for ``setBack()``.
    public func copyData() async throws {
        var arguments = [
            "-D", copy, "-h", directory, "-p", "\(socketPort)", "-U", Self.superuser, "--checkpoint=fast", "--no-sync",
        ]
        for location in try tablespaces() {
            let other = Self.otherLocation(location)
            try FileManager.default.createDirectory(
                atPath: other,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try tools.changeOwner(of: other)
            arguments.append("--tablespace-mapping=\(location)=\(other)")
        }
        try await tools.run("pg_basebackup", arguments, in: directory)
    }

    /// Stops the server at once, and starts it with the data that ``copyData()`` has copied: the commits since the end of
    /// that call, and maybe some during it, are lost.
    public func setBack() async throws {
        try await stop(.immediate)
        let lost = try tablespaces() + [directory + "/data"]
        for path in lost { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.moveItem(atPath: copy, toPath: directory + "/data")
        try await start()
    }

    private var copy: String { directory + "/copy" }

    /// The folders of the tablespaces.
    private func tablespaces() throws -> [String] {
        let links = directory + "/data/pg_tblspc"
        return try FileManager.default.contentsOfDirectory(atPath: links).map {
            try FileManager.default.destinationOfSymbolicLink(atPath: "\(links)/\($0)")
        }
    }

    /// Returns the folder of a tablespace's copy, beside it.
    private static func otherLocation(_ location: String) -> String {
        let suffix = ".copy"
        return location.hasSuffix(suffix) ? String(location.dropLast(suffix.count)) : location + suffix
    }

    /// Sends SIGSTOP to all server processes, as on a machine with a hanging disk: connections are accepted and get no
    /// response.
    ///
    /// Call ``resume()`` before stopping the server.
    public func pause() throws {
        // First the postmaster, which starts the others.
        try signal(SIGSTOP, to: try processIdentifier)
        for child in try children() { try signal(SIGSTOP, to: child) }
    }

    /// Sends SIGCONT to all server processes.
    public func resume() throws {
        for child in try children() { try signal(SIGCONT, to: child) }
        try signal(SIGCONT, to: try processIdentifier)
    }

    /// The postmaster, the parent of all server processes.
    public var processIdentifier: Int32 {
        get throws {
            let text = try String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)
            guard let line = text.split(separator: "\n").first, let identifier = pid_t(line) else {
                throw PrivatePostgresError("postmaster.pid has no process identifier")
            }
            return identifier
        }
    }

    private func children() throws -> [pid_t] {
        let parent = try processIdentifier
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { process in
            // The process may have exited in the meantime.
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            return status.split(separator: "\n").contains { $0.split(separator: "\t") == ["PPid:", "\(parent)"] }
        }
    }

    private func signal(_ signal: Int32, to process: pid_t) throws {
        guard kill(process, signal) == 0 || errno == ESRCH else {
            throw PrivatePostgresError(
                "cannot send a signal to process \(process): \(String(cString: strerror(errno)))"
            )
        }
    }

    private var socketPort: Int { tcpPort ?? 5_432 }

    private func initialize(_ options: Options) async throws {
        let passwordFile = directory + "/password"
        try Data(password.utf8).write(to: URL(fileURLWithPath: passwordFile))
        try tools.changeOwner(of: passwordFile)
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
            // Each test with a database has its own pool, and tests run concurrently.
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

    /// Returns a TCP port that is free at this moment.
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
        guard isBound else { throw PrivatePostgresError("no free TCP port: \(String(cString: strerror(errno)))") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Creates an empty database on the server of a superuser's URI.
func createDatabase(_ name: String, on uri: String) async throws {
    let pool = PostgresPool(
        configuration: .init(uri: uri, maximumConnections: 1, applicationName: "test-support"),
        logger: Logger(label: "test-support")
    )
    // template0 accepts no connections, which would make copying it fail.
    try await pool.withConnection { try await $0.script("CREATE DATABASE \(name) TEMPLATE template0") }
}
