import Foundation
import PostgresClient
import PrivatePostgres
import Testing

@Suite struct ConnectingTests {
    private let secret = "s3cr3t-pässword"

    /// Returns the error message of the first query to a URI.
    private func failure(_ uri: String, connectTimeout: Duration = .seconds(5)) async throws -> String {
        let pool = PostgresPool(configuration: .init(uri: uri, connectTimeout: connectTimeout), logger: quiet)
        do {
            _ = try await pool.query(PostgresQuery("SELECT 1"))
        } catch PostgresError.cannotConnect(let reason) {
            return reason
        }
        Issue.record("the connection should have failed")
        return ""
    }

    @Test func `an authentication error does not contain the password`() async throws {
        let cluster = try await PrivateCluster.start(.init(listensOnTCP: true))
        let uri = try #require(cluster.tcpURI())
        let pool = PostgresPool(configuration: .init(uri: uri), logger: quiet)
        #expect(try await pool.query(PostgresQuery("SELECT 1"))[0].decode(Int32.self) == 1)
        let reason = try await failure(uri.replacing(cluster.password, with: "s3cr3t"))
        #expect(reason.contains("password authentication failed"))
        #expect(!reason.contains("s3cr3t"))
        #expect(!reason.contains("\n"))
    }

    @Test func `the error names a missing socket`() async throws {
        let reason = try await failure("postgresql://u:s3cr3t@/d?host=/nowhere")
        #expect(reason.contains("/nowhere"))
        #expect(!reason.contains("s3cr3t"))
    }

    @Test func `the error names an address without a listener`() async throws {
        let reason = try await failure("postgresql://u:s3cr3t@127.0.0.1:1/d")
        #expect(reason.contains("127.0.0.1"))
        #expect(reason.contains("Connection refused"))
        #expect(!reason.contains("s3cr3t"))
    }

    /// Runs a test with the URI of a server that accepts connections and never responds.
    private func withMuteServer<Result>(_ body: (_ uri: String) async throws -> Result) async throws -> Result {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let directory = "/tmp/rangers-mute-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer {
            close(listener)
            try? FileManager.default.removeItem(atPath: directory)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: (directory + "/.s.PGSQL.5432").utf8) }
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 1) == 0
            }
        }
        try #require(isListening)
        return try await body("postgresql:///d?host=\(directory)")
    }

    @Test func `connecting to a server that does not respond fails after the connect timeout`() async throws {
        let reason = try await withMuteServer { try await failure($0, connectTimeout: .milliseconds(50)) }
        #expect(reason.contains("no response"))
    }

    @Test(
        arguments: [
            "postgresql://u:s3cr3t@host:port:port/d", "postgresql://u:s3cr3t@[::1/d",
            "postgresql://u:s3cr3t@h/d?nonsense=1",
            "postgresql://u:s3c@r3t@h/d", "postgresql://u:s3c/r3t@h/d", "host=h password='s3cr3t",
            "postgresql://u:%zzs3cr3t@h",
        ]
    )
    func `a malformed URI is rejected without quoting it`(uri: String) async throws {
        let reason = try await failure(uri, connectTimeout: .milliseconds(100))
        for part in ["s3cr3t", "r3t", "s3c"] { #expect(!reason.contains(part), "\(reason)") }
    }

    @Test func `the error names a missing database`() async throws {
        let uri = try await TestDatabases.make()
        let reason = try await failure(uri.replacing(#//(rangers_)?test_[0-9a-f]+/#, with: "/absent"))
        #expect(reason.contains(#"database "absent" does not exist"#))
    }

    @Test func `the configuration's description does not contain the URI`() {
        let configuration = PostgresPool.Configuration(uri: "postgresql://u:s3cr3t@h/d")
        #expect(!"\(configuration)".contains("s3cr3t"))
        #expect(!String(reflecting: configuration).contains("s3cr3t"))
    }

    @Test func `cancelling a task ends its attempt to connect`() async throws {
        try await withMuteServer { uri in
            let pool = PostgresPool(configuration: .init(uri: uri, connectTimeout: .seconds(600)), logger: quiet)
            let task = Task { try await pool.query(PostgresQuery("SELECT 1")) }
            task.cancel()
            await #expect(throws: PostgresError.cancelled(statement: nil)) { try await task.value }
        }
        // The pool goes on, whether the attempt was complete or not.
        let pool = PostgresPool(configuration: .init(uri: try await TestDatabases.make()), logger: quiet)
        let task = Task { try await pool.query(PostgresQuery("SELECT 1")) }
        task.cancel()
        _ = try? await task.value
        #expect(try await pool.query(PostgresQuery("SELECT 1"))[0].decode(Int32.self) == 1)
    }

    @Test func `the server shows the application name`() async throws {
        let pool = try await makePool { $0.applicationName = "rangers-test" }
        let rows = try await pool.query(PostgresQuery("SELECT current_setting('application_name')"))
        #expect(try rows[0].decode(String.self) == "rangers-test")
    }
}
