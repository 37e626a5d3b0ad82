import GameStore
import Logging
import PostgresClient
import RangersSettings

extension PostgresPool {
    /// The pool of one process.
    convenience init(_ url: Secret, logger: Logger) {
        self.init(configuration: Configuration(uri: url.revealed(), applicationName: "rangersd"), logger: logger)
    }
}

extension GameStore {
    /// The store for a command that does one thing to the database and ends.
    init(_ settings: DatabaseSettings) {
        // Standard error is for the command's own sentences.
        let logger = Logger(label: "rangersd") { _ in SwiftLogNoOpLogHandler() }
        self.init(pool: PostgresPool(settings.url, logger: logger))
    }
}
