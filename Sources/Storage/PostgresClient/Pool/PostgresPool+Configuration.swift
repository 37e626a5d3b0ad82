extension PostgresPool {
    /// The target of a pool's connections, and the pool's limits.
    public struct Configuration: Sendable {
        /// A libpq connection URI.
        ///
        /// May contain a password.
        public var uri: String
        /// The maximum number of connections; default 10, which keeps a few cores busy.
        ///
        /// Each connection costs the server a process.
        public var maximumConnections: Int
        /// The maximum number of concurrent round trips of ``PostgresPool/read(_:)``; default 2.
        ///
        /// With two, a slow round trip delays at most seven callers: the eighth caller that waits starts the second
        /// one.
        public var maxConcurrentReads: Int
        /// The number of waiting callers that starts another concurrent round trip.
        ///
        /// With ten callers, one shared round trip costs a third less than two.
        static let readSenderThreshold = 8
        /// The maximum number of callers that share a round trip.
        ///
        /// A larger batch saves nothing and delays its first caller.
        static let maxReadBatchSize = 64
        /// How long a caller waits for a free connection; default 5 s, after which the caller's own client has usually
        /// given up.
        public var waitLimit: Duration
        /// The time limit of one exchange (a statement, a pipeline, a COPY), nil for none; default 30 s.
        ///
        /// One deadline covers sending, execution and receiving. The client enforces it, so a broken network is noticed
        /// too. The server is asked to cancel the statement when the deadline passes.
        public var statementTimeout: Duration?
        /// How long the server may take to cancel before the connection is closed; default 5 s.
        ///
        /// An unresponsive server delays a caller by this and ``statementTimeout`` together.
        public var cancelTimeout: Duration
        /// The time limit for connecting, without name resolution; default 5 s.
        public var connectTimeout: Duration
        /// The interval between checks of idle connections; default 15 s, less than the idle timeout of firewalls.
        public var idleCheckInterval: Duration
        /// Whether each connection prepares its statements once; default true.
        ///
        /// Set to false behind a pooler in transaction mode without support for prepared statements (PgBouncer before
        /// 1.21). The server then parses and plans each statement at every execution.
        public var preparesStatements: Bool
        /// The name shown in `pg_stat_activity`, unless the URI sets another.
        public var applicationName: String

        /// Creates a configuration.
        ///
        /// Each property documents its default.
        public init(
            uri: String,
            maximumConnections: Int = 10,
            maxConcurrentReads: Int = 2,
            waitLimit: Duration = .seconds(5),
            statementTimeout: Duration? = .seconds(30),
            cancelTimeout: Duration = .seconds(5),
            connectTimeout: Duration = .seconds(5),
            idleCheckInterval: Duration = .seconds(15),
            preparesStatements: Bool = true,
            applicationName: String = "emoji-rangers-parties"
        ) {
            self.uri = uri
            self.maximumConnections = maximumConnections
            self.maxConcurrentReads = maxConcurrentReads
            self.waitLimit = waitLimit
            self.statementTimeout = statementTimeout
            self.cancelTimeout = cancelTimeout
            self.connectTimeout = connectTimeout
            self.idleCheckInterval = idleCheckInterval
            self.preparesStatements = preparesStatements
            self.applicationName = applicationName
        }
    }
}

extension PostgresPool.Configuration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The limits, without the URI.
    public var description: String {
        "at most \(maximumConnections) connections as \(applicationName)"
    }

    /// The description.
    ///
    /// Debug output ends up in logs too.
    public var debugDescription: String { description }
}
