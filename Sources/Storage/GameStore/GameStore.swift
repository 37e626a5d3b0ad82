package import GameCore
package import GameLog
public import Logging
public import PostgresClient

/// The store of the game: all SQL of the domain.
///
/// One file per aggregate holds its statements and the methods that run them. Changes of parties, adventures and
/// activities are methods of ``ShardTransaction``; reads, and changes of look-up tables and leases, are methods of this
/// type. Methods throw `PostgresError`, or ``StoreError`` if a row cannot be decoded.
public struct GameStore: Sendable {
    let pool: PostgresPool
    let clock: StoreClock
    package let queue: ShardQueue
    let metrics: StoreMetrics
    let logger: Logger
    let setbacks = ClockSetbacks()
    let losses = LostCommitsLedger()
    let timelines = TimelineCache()
    let raidFollowers = RaidFollowers()
    let outages: WorkerOutages
    /// The numbers of players by score, which all copies of the store share.
    package var histograms = ReadCache<LeaderboardEdition, ScoreHistogram>()
    /// The standings of raids, which all copies of the store share.
    package var standings = ReadCache<RaidID, RaidStandings>(maxAge: .seconds(10))
    /// The newest version that the store knows of rules, openings and log entries; an older one stands for an older node.
    package var version = RulesVersion.newest
    /// The version under which journeys and boss fights begin.
    package var newAdventures: RulesVersion { min(version, .current) }

    /// Creates a store on a pool of connections to a migrated database.
    /// - Parameters:
    ///   - pool: the connections.
    ///   - clock: the clock that decides.
    ///   - queue: the transactions that wait for shards. Several stores of a process share it.
    ///   - outages: the machines of a cluster that do not respond. Several stores of a process share them.
    ///   - metrics: the store's metrics. Several stores of a process may share them.
    ///   - logger: receives operators' changes, as a copy of the audit log outside the database.
    public init(
        pool: PostgresPool,
        clock: StoreClock = .database,
        queue: ShardQueue = ShardQueue(),
        outages: WorkerOutages = WorkerOutages(),
        metrics: StoreMetrics = StoreMetrics(),
        logger: Logger = Logger(label: "discarded", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.pool = pool
        self.clock = clock
        self.queue = queue
        self.outages = outages
        self.metrics = metrics
        self.logger = logger
    }

    /// Returns whether an error is the server's rejection of a statement, after which the next statement may succeed.
    ///
    /// Other errors mean that the server did not reply, or that its reply cannot be decoded.
    public static func isRejection(_ error: any Error) -> Bool {
        if case .server? = error as? PostgresError { true } else { false }
    }
}
