import Logging
import PostgresClient
import PrivatePostgres

/// A pool over an empty database of its own.
func makePool(_ change: (inout PostgresPool.Configuration) -> Void = { _ in }) async throws -> PostgresPool {
    var configuration = PostgresPool.Configuration.patient(uri: try await TestDatabases.make(), maximumConnections: 4)
    change(&configuration)
    return PostgresPool(configuration: configuration, logger: quiet)
}

/// A logger that says nothing.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension PostgresQuery {
    /// A statement of a test, named by its text.
    init<each Value: PostgresEncodable>(_ sql: String, _ parameters: repeat each Value) {
        self.init(Statement(String(sql.prefix(60)), sql), repeat each parameters)
    }
}
