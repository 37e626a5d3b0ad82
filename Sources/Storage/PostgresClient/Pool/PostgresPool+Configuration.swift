extension PostgresPool {
    /// What a pool connects to, and its limits.
    public struct Configuration: Sendable {
        /// A libpq connection URI; may hold a password.
        public var uri: String
        /// How many connections there are at most.
        ///
        /// Each costs the server a process: 10 keep a few cores busy.
        public var maximumConnections: Int
        /// How many round trips of ``PostgresPool/read(_:)`` there are at once, at most: 2, so that a slow one holds up the
        /// seven that wait first, and no more.
        public var readBatches: Int
        /// How many callers must wait before there is one more round trip at once.
        ///
        /// With ten callers a single one, which the others share, costs a third less than two.
        static let readCrowd = 8
        /// How many callers share a round trip at most: beyond that nothing is gained, and the first waits for the last.
        static let longestReadBatch = 64
        /// How long a caller waits for a connection to become free: 5 s, beyond which its own caller has usually
        /// given up.
        public var waitLimit: Duration
        /// How long one exchange (a statement, a pipeline, a COPY) may take, nil for any time: 30 s.
        ///
        /// A single deadline for waiting, running and receiving, kept by the client so that a dead network is
        /// noticed too. The server is asked to cancel what takes longer.
        public var statementTimeout: Duration?
        /// How long the server may take, once it is asked to cancel, before the connection is given up: 5 s.
        ///
        /// A server that hangs takes a caller as long as this and ``statementTimeout`` together.
        public var cancelTimeout: Duration
        /// How long making a connection may take, not counting name resolution: 5 s.
        public var connectTimeout: Duration
        /// How often idle connections are checked: 15 s, less than what firewalls forget connections after.
        public var idleCheckInterval: Duration
        /// Whether statements are prepared once per connection.
        ///
        /// False behind a pooler in transaction mode that does not follow prepared statements (PgBouncer before
        /// 1.21): each run is then parsed and planned anew.
        public var preparesStatements: Bool
        /// What `pg_stat_activity` shows, unless the URI says otherwise.
        public var applicationName: String

        /// A configuration with the defaults that each property tells.
        public init(
            uri: String,
            maximumConnections: Int = 10,
            readBatches: Int = 2,
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
            self.readBatches = readBatches
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

    /// The same: debugging output ends up in logs too.
    public var debugDescription: String { description }
}
