import Logging
import PostgresClient
import PrivatePostgres

/// Creates a pool on an empty database.
func makePool(_ change: (inout PostgresPool.Configuration) -> Void = { _ in }) async throws -> PostgresPool {
    var configuration = PostgresPool.Configuration.forTests(uri: try await TestDatabases.make(), maximumConnections: 4)
    change(&configuration)
    return PostgresPool(configuration: configuration, logger: quiet)
}

/// A logger that discards all messages.
let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension PostgresQuery {
    /// Creates a query whose statement is named by its text.
    init<each Value: PostgresEncodable>(_ sql: String, _ parameters: repeat each Value) {
        self.init(Statement(String(sql.prefix(60)), sql), repeat each parameters)
    }
}
