import GameStore
import Logging
import PostgresClient
import PushDispatcher
import RangersLogging
import RangersSettings

extension PostgresPool {
    /// A pool of one process.
    /// - Parameters:
    ///   - database: where it is, and what stands before it.
    ///   - connections: how many it opens at most.
    ///   - statementTimeout: nil for what may take its time, like migrations.
    ///   - logger: is told of connections.
    ///   - adjust: changes other limits.
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

    /// The pool of a dispatcher's leases: connections that are given up and made anew soon enough that one which has gone silent
    /// costs no lease of 5 s that is renewed every 1.7 s.
    static func forLeases(_ database: DatabaseSettings, logger: Logger) -> PostgresPool {
        PostgresPool(
            database,
            connections: PushDispatcher.leasesAtOnce,
            statementTimeout: .milliseconds(1_500),
            logger: logger
        ) {
            $0.cancelTimeout = .milliseconds(250)
            $0.connectTimeout = .seconds(3)
        }
    }

    /// The pool of operators who ask what is wrong, which may be the database: they hear of one that hangs within ten
    /// seconds, and of everything that does not need it.
    static func forDiagnosis(_ database: DatabaseSettings, logger: Logger) -> PostgresPool {
        // A question that hangs leaves a connection to the others.
        PostgresPool(database, connections: diagnosisConnections, statementTimeout: .seconds(4), logger: logger) {
            $0.cancelTimeout = .seconds(1)
            $0.connectTimeout = .seconds(4)
            // Whoever waits gets the turn of one who has waited in vain.
            $0.waitLimit = .seconds(6)
        }
    }

    private static let diagnosisConnections = 2
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
