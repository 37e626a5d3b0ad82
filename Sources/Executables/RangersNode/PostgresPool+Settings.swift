import GameStore
import Logging
import PostgresClient
import PushDispatcher
import RangersLogging
import RangersSettings
import ServiceRuntime

extension PostgresPool {
    /// Creates a pool from the settings.
    /// - Parameters:
    ///   - database: the database and its pooler.
    ///   - connections: the maximum number of connections.
    ///   - statementTimeout: the timeout of a statement; nil for none, for example for migrations.
    ///   - logger: logs connections.
    ///   - adjust: changes other parameters.
    convenience init(
        _ database: DatabaseSettings,
        connections: Int = 10,
        statementTimeout: Duration? = .seconds(30),
        logger: Logger,
        adjust: (inout Configuration) -> Void = { _ in }
    ) {
        var configuration = Configuration(uri: database.url.revealed(), applicationName: "rangersd")
        configuration.maximumConnections = connections
        configuration.statementTimeout = statementTimeout
        configuration.preparesStatements = database.pooler == .none
        adjust(&configuration)
        self.init(configuration: configuration, logger: logger)
    }

    /// Creates the pool for a dispatcher's presence, on which its leases depend.
    ///
    /// A presence lasts 1 s and is renewed every 0.3 s. The timeouts are short enough to replace a dead connection in
    /// between.
    static func forLeases(_ database: DatabaseSettings, logger: Logger) -> PostgresPool {
        PostgresPool(
            database,
            connections: PushDispatcher.leaseConnections,
            statementTimeout: .milliseconds(400),
            logger: logger
        ) {
            $0.cancelTimeout = .milliseconds(100)
            $0.connectTimeout = .seconds(1)
        }
    }

    /// Creates the pool for the server's diagnosis, which reports a hanging database within ten seconds.
    static func forDiagnosis(_ database: DatabaseSettings, logger: Logger) -> PostgresPool {
        // Several connections, so that a hanging query does not block the others.
        PostgresPool(database, connections: diagnosisConnections, statementTimeout: .seconds(4), logger: logger) {
            $0.cancelTimeout = .seconds(1)
            $0.connectTimeout = .seconds(4)
            // Longer than a statement and its cancellation, so that a waiting query gets the next connection.
            $0.waitLimit = .seconds(6)
        }
    }

    private static let diagnosisConnections = 2
}

extension GameStore {
    /// Creates a store for a command that makes one change and exits.
    init(_ settings: DatabaseSettings) {
        // Standard error is for the command's own messages and for its audit log entries.
        let silence = Logger(label: "rangersd") { _ in SwiftLogNoOpLogHandler() }
        let logger = Logger(label: "rangersd") {
            LineLogHandler(label: $0, format: .text, to: .standardError(now: Runtime.system.now))
        }
        self.init(pool: PostgresPool(settings, connections: 1, statementTimeout: nil, logger: silence), logger: logger)
    }
}
