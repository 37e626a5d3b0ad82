import Foundation

/// Empty databases for tests, on one server for the whole process.
///
/// The server is a ``PrivateCluster``, or the server of `RANGERS_TEST_DATABASE_URL` (a URI of a superuser), which saves
/// the two seconds of starting a cluster.
public enum TestDatabases {
    private enum Server {
        case own(PrivateCluster)
        case named(uri: String, Watchdog)
    }

    /// The server, started with the first use.
    ///
    /// This is a task, since a static property cannot await.
    private static let server = Task {
        guard let uri = ProcessInfo.processInfo.environment["RANGERS_TEST_DATABASE_URL"], !uri.isEmpty else {
            return Server.own(try await PrivateCluster.start())
        }
        return Server.named(uri: uri, try Watchdog(droppingDatabasesOf: uri))
    }

    /// Creates an empty database, which is dropped when the process ends.
    /// - Returns: its libpq URI.
    public static func make() async throws -> String {
        switch try await server.value {
        case .own(let cluster):
            return try await cluster.database()
        case .named(let uri, let watchdog):
            guard var components = URLComponents(string: uri) else {
                throw PrivatePostgresError("RANGERS_TEST_DATABASE_URL is not a URI")
            }
            let name = "rangers_test_" + UUID().uuidString.lowercased().replacing("-", with: "")
            try watchdog.announce(name)
            try await createDatabase(name, on: uri)
            components.path = "/" + name
            guard let string = components.string else {
                throw PrivatePostgresError("RANGERS_TEST_DATABASE_URL is not a URI")
            }
            return string
        }
    }
}
