import Foundation
import PostgresClient
import Testing

@testable import PrivatePostgres

@Suite struct WatchdogTests {
    @Test(.timeLimit(.minutes(10)))
    func `the password for dropping databases does not appear in any process's arguments`() async throws {
        let cluster = try await PrivateCluster.start(.init(listensOnTCP: true))
        let uri = try #require(cluster.tcpURI())
        let name = "announced"
        try await {
            let watchdog = try Watchdog(droppingDatabasesOf: uri)
            try watchdog.announce(name)
            try await createDatabase(name, on: uri)
            let commandLines = try Self.commandLines()
            #expect(commandLines.contains { $0.contains("watchdog") })
            #expect(!commandLines.contains { $0.contains(cluster.password) })
        }()
        let pool = PostgresPool(configuration: .init(uri: uri, maximumConnections: 1), logger: quiet)
        let count = PostgresQuery("SELECT count(*) FROM pg_database WHERE datname = $1", name)
        while try await pool.query(count)[0].decode(Int.self) > 0 { await Task.yield() }
    }

    @Test(
        arguments: [
            ("postgresql://me:a%2Fb@h:5433/db?sslmode=require", "postgresql://me@h:5433/db?sslmode=require", "a/b"),
            ("postgresql:///db?host=/tmp/x&user=me", "postgresql:///db?host=/tmp/x&user=me", nil),
            ("postgresql:///db?password=a&host=/tmp/x", "postgresql:///db?host=/tmp/x", "a"),
            ("postgresql://me:a@h/db?password=b", "postgresql://me@h/db", "b"),
        ] as [(String, String, String?)]
    )
    func `removing the password from a URI leaves the rest unchanged`(
        uri: String,
        rest: String,
        password: String?
    ) throws {
        let server = try DatabaseAddress(uri: uri)
        #expect(server.uri == rest)
        #expect(server.password == password)
    }

    /// Returns the command lines of this machine's processes, without processes that end during the call.
    private static func commandLines() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap { process in
            FileManager.default.contents(atPath: "/proc/\(process)/cmdline").map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
