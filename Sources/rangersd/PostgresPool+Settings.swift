import GameStore
import Logging
import PostgresClient
import RangersLogging
import RangersSettings

extension PostgresPool {
    /// A pool of one process.
    /// - Parameters:
    ///   - database: where it is, and what stands before it.
    ///   - connections: how many it opens at most.
    ///   - statementTimeout: nil for what may take its time, like migrations.
    ///   - logger: is told of connections.
    convenience init(
        _ database: DatabaseSettings,
        connections: Int = 10,
        statementTimeout: Duration? = .seconds(30),
        logger: Logger
    ) {
        var configuration = Configuration(uri: database.url.revealed(), applicationName: "rangersd")
        configuration.maximumConnections = connections
        configuration.statementTimeout = statementTimeout
        configuration.preparesStatements = database.pooler == .none
        self.init(configuration: configuration, logger: logger)
    }
}

extension GameStore {
    /// The store for a command that does one thing to the database and ends.
    init(_ settings: DatabaseSettings) {
        // Standard error is for the command's own sentences, and for what it adds to the audit log.
        let silence = Logger(label: "rangersd") { _ in SwiftLogNoOpLogHandler() }
        let logger = Logger(label: "rangersd") { LineLogHandler(label: $0, format: .text, to: .standardError) }
        self.init(pool: PostgresPool(settings, connections: 1, statementTimeout: nil, logger: silence), logger: logger)
    }
}
