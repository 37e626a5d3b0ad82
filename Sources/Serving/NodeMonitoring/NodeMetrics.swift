public import APNsClient
public import GameCore
public import GameEngine
public import GameStore
public import HTTPServing
public import Logging
public import PartyAPI
public import PostgresClient
public import PushDispatcher
public import RangersMetrics
public import ServiceRuntime

/// All metrics of a `rangersd` process.
///
/// Metrics of roles that the process does not have stay at zero, or have no series.
public struct NodeMetrics: Sendable {
    /// The registry of all metrics.
    public let registry = MetricRegistry()
    /// The metrics of stores.
    public let store: StoreMetrics
    /// The metrics of commands.
    public let commands: CommandMetrics
    /// The metrics of the engine.
    public let engine: EngineMetrics
    /// The metrics of raids.
    public let raids: RaidMetrics
    /// The metrics of the retention worker.
    public let retention: RetentionMetrics
    /// The metrics of the dispatcher.
    public let dispatcher: DispatcherMetrics
    /// The metrics of the API server.
    public let http: HTTPMetrics
    /// The metrics of what devices report.
    public let receipts: ReceiptMetrics
    private let pools: PoolMetrics
    private let apns: APNsMetrics
    private let database: DatabaseMetrics

    /// Registers all metrics.
    /// - Parameters:
    ///   - version: the version of the program.
    ///   - roles: the roles of the process, sorted and separated by commas.
    public init(version: String, roles: String) {
        store = StoreMetrics(in: registry)
        commands = CommandMetrics(in: registry)
        engine = EngineMetrics(in: registry)
        raids = RaidMetrics(in: registry)
        retention = RetentionMetrics(in: registry)
        dispatcher = DispatcherMetrics(in: registry)
        http = HTTPMetrics(in: registry)
        receipts = ReceiptMetrics(in: registry)
        pools = PoolMetrics(in: registry)
        apns = APNsMetrics(in: registry)
        database = DatabaseMetrics(in: registry)
        ProcessMetrics(in: registry)
        registry.gauges(
            "rangers_build_info",
            "Always 1; the labels are the version and the roles of this node.",
            by: BuildLabels.self
        )
        .set(1, of: BuildLabels(version: version, roles: roles))
    }

    /// Reads the statistics of a pool at each scrape.
    public func watch(_ pool: PostgresPool, as name: String) {
        registry.beforeReading { [pools] in pools.update(pool.statistics, of: name) }
    }

    /// Reads the statistics of an APNs client at each scrape.
    public func watch(_ client: APNsClient, for environment: PushEnvironment) {
        registry.beforeReading { [apns] in apns.update(await client.statistics(), of: environment.rawValue) }
    }

    /// Reads the statistics of the database at a scrape, at most once in a few seconds and with a short timeout.
    ///
    /// The logger is for failures.
    public func watch(_ store: GameStore, runtime: Runtime, logger: Logger) {
        let reading = DatabaseMetrics.reading(of: store, runtime: runtime, logger: logger)
        registry.beforeReading { [database] in database.update(await reading.value) }
    }
}

private struct BuildLabels: MetricLabels {
    static let names = ["version", "roles"]
    let version: String
    let roles: String
    var values: [String] { [version, roles] }
}
