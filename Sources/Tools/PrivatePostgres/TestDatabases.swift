import Foundation

/// Empty databases for tests, one for each that asks, on one server for the whole process.
///
/// The server is a ``PrivateCluster`` of this process, or the one that `RANGERS_TEST_DATABASE_URL` names (a URI of a
/// superuser), which saves the two seconds of starting one.
public enum TestDatabases {
    private enum Server {
        case own(PrivateCluster)
        case named(uri: String, Watchdog)
    }

    /// Started by the first who asks; awaited by all others.
    ///
    /// A task, since a static property cannot await.
    private static let server = Task {
        guard let uri = ProcessInfo.processInfo.environment["RANGERS_TEST_DATABASE_URL"], !uri.isEmpty else {
            return Server.own(try await PrivateCluster.start())
        }
        return Server.named(uri: uri, try Watchdog(droppingDatabasesOf: uri))
    }

    /// Creates an empty database, which ends with the process.
    /// - Returns: its libpq URI.
    public static func make() async throws -> String {
        switch try await server.value {
        case .own(let cluster):
            return try await cluster.database()
        case .named(let uri, let watchdog):
            guard var components = URLComponents(string: uri) else {
                throw TestServerError("RANGERS_TEST_DATABASE_URL is no URI")
            }
            let name = "rangers_test_" + UUID().uuidString.lowercased().replacing("-", with: "")
            try watchdog.announce(name)
            try await createDatabase(name, on: uri)
            components.path = "/" + name
            guard let string = components.string else { throw TestServerError("RANGERS_TEST_DATABASE_URL is no URI") }
            return string
        }
    }
}
