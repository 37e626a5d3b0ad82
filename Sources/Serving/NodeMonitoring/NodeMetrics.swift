public import APNsClient
import GameCore
public import GameEngine
public import GameStore
public import PartyAPI
public import PostgresClient
public import PushDispatcher
public import RangersMetrics
public import ServiceRuntime

/// All metrics of one `rangersd`, whatever its roles: those of a role that it does not have stay at zero, or without a
/// series.
public struct NodeMetrics: Sendable {
    /// Where all of them are.
    public let registry = MetricRegistry()
    /// What stores count.
    public let store: StoreMetrics
    /// What commands count.
    public let commands: CommandMetrics
    /// What the engine counts.
    public let engine: EngineMetrics
    /// What the housekeeper counts.
    public let retention: RetentionMetrics
    /// What the dispatcher counts.
    public let dispatcher: DispatcherMetrics
    /// What the API counts.
    public let api: APIMetrics
    private let pools: PoolMetrics
    private let apns: APNsMetrics
    private let database: DatabaseMetrics

    /// Declares all of them.
    /// - Parameters:
    ///   - version: of the program.
    ///   - roles: what the process does, sorted and separated by commas.
    public init(version: String, roles: String) {
        store = StoreMetrics(in: registry)
        commands = CommandMetrics(in: registry)
        engine = EngineMetrics(in: registry)
        retention = RetentionMetrics(in: registry)
        dispatcher = DispatcherMetrics(in: registry)
        api = APIMetrics(in: registry)
        pools = PoolMetrics(in: registry)
        apns = APNsMetrics(in: registry)
        database = DatabaseMetrics(in: registry)
        ProcessMetrics(in: registry)
        registry.gauges("rangers_build_info", "1, with the version and the roles of this node.", by: BuildLabels.self)
            .set(1, of: BuildLabels(version: version, roles: roles))
    }

    /// Reads a pool for each scrape, under a name.
    public func watch(_ pool: PostgresPool, as name: String) {
        registry.beforeReading { [pools] in pools.take(pool.statistics, of: name) }
    }

    /// Reads a client for each scrape.
    public func watch(_ client: APNsClient, for environment: PushEnvironment) {
        registry.beforeReading { [apns] in apns.take(await client.statistics(), of: environment.rawValue) }
    }

    /// Asks the database for a scrape, at most once in a few seconds, and not for long.
    public func watch(_ store: GameStore, runtime: Runtime) {
        let reading = DatabaseMetrics.reading(of: store)
        registry.beforeReading { [database] in database.take(await reading.value, at: runtime.now()) }
    }
}

private struct BuildLabels: MetricLabels {
    static let names = ["version", "roles"]
    let version: String
    let roles: String
    var values: [String] { [version, roles] }
}
