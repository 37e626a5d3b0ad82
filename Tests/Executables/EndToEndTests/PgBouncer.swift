import Foundation
import PrivatePostgres
import TestSupport

/// PgBouncer in transaction mode in front of a deployment's database, with few server connections for many clients.
struct PgBouncer {
    private static let port = 6_432

    /// The socket's directory; the path of a socket must be short.
    private let directory: String
    private let database: String

    /// Starts PgBouncer and waits until it listens.
    /// - Parameters:
    ///   - deployment: the deployment with the database.
    ///   - connections: the number of shared server connections.
    /// - Returns: the running pooler.
    /// - Throws: ``TimeLimitExceeded`` when it does not start.
    static func start(in deployment: TestDeployment, connections: Int) async throws -> PgBouncer {
        guard let url = URLComponents(string: deployment.databaseURL) else {
            throw TimeLimitExceeded(description: "the database has no URL")
        }
        func part(_ name: String) -> String? { url.queryItems?.first { $0.name == name }?.value }
        var target = [
            "host": part("host") ?? url.host, "port": part("port") ?? url.port.map { "\($0)" },
            "user": part("user") ?? url.user, "password": part("password") ?? url.password,
        ].compactMapValues { $0?.isEmpty == false ? $0 : nil }
        target["dbname"] = String(url.path.dropFirst())
        let bouncer = PgBouncer(directory: try makeDirectory(), database: target["dbname"] ?? "")
        let settings = bouncer.directory + "/pgbouncer.ini"
        try """
        [databases]
        \(bouncer.database) = \(target.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " "))
        [pgbouncer]
        unix_socket_dir = \(bouncer.directory)
        listen_port = \(port)
        auth_type = any
        pool_mode = transaction
        default_pool_size = \(connections)
        max_client_conn = 500
        """.write(toFile: settings, atomically: true, encoding: .utf8)
        // PgBouncer refuses to run as root and can switch to another user.
        let arguments = geteuid() == 0 ? ["-u", "postgres", settings] : [settings]
        let program = try deployment.startSystemProgram("/usr/sbin/pgbouncer", arguments, environment: [:])
        _ = try await eventually("PgBouncer listens") {
            guard program.exitStatus == nil else { throw TimeLimitExceeded(description: program.output) }
            return FileManager.default.fileExists(atPath: "\(bouncer.directory)/.s.PGSQL.\(port)") ? true : nil
        }
        return bouncer
    }

    /// The settings of a server that connects through the pooler.
    var settings: [String: String] {
        ["RANGERS_DATABASE_URL": uri(of: database), "RANGERS_DATABASE_POOLER": "transaction"]
    }

    /// Returns the number of transactions so far, and of current clients and server connections.
    func statistics() async throws -> (transactions: Int, clients: Int, servers: Int) {
        func rows(_ command: String) async throws -> [[Substring]] {
            try await PostgresShell.run(command, on: uri(of: "pgbouncer")).split(separator: "\n")
                .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
        }
        let stats = try await rows("SHOW STATS").first { $0.first.map(String.init) == database }
        return (
            transactions: stats.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0,
            clients: try await rows("SHOW CLIENTS").count { $0.count > 2 && $0[2] == database },
            servers: try await rows("SHOW SERVERS").count { $0.count > 2 && $0[2] == database }
        )
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func uri(of database: String) -> String {
        "postgresql:///\(database)?host=\(directory)&port=\(Self.port)&user=postgres"
    }

    private static func makeDirectory() throws -> String {
        var template = Array("/tmp/rangers-bouncer-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw TimeLimitExceeded(description: "cannot create a directory in /tmp")
        }
        let directory = String(cString: path)
        if geteuid() == 0, let user = getpwnam("postgres") {
            guard chown(directory, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
                throw TimeLimitExceeded(description: "cannot change the owner of \(directory)")
            }
        }
        return directory
    }
}
