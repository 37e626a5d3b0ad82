import GameStore
import Logging
import NodeMonitoring
import PostgresClient
import RangersSettings
import ServiceLifecycle
import ServiceRuntime

/// A node's connection pools and their stores.
///
/// Each purpose has a pool of its own: if requests use all of their connections, clocks, pushes, the dispatcher's presence
/// and monitoring continue.
struct NodeDatabase {
    /// The number of connections that the engine and the dispatcher share: each works on four shards concurrently.
    private static let workConnections = 8
    /// The timeout for moving a clock or flushing pushes, which take milliseconds unless a lock or the network blocks them.
    private static let workTimeout = Duration.seconds(5)
    /// The number of connections for monitoring, which must work while other pools are exhausted.
    private static let monitoringConnections = 2
    /// The timeout for monitoring, whose queries are short.
    private static let monitoringTimeout = Duration.seconds(5)

    /// All pools, which the node runs as services.
    let pools: [any Service]
    /// The store for requests and for background work.
    let requests: GameStore
    /// The store for the engine and the dispatcher.
    let work: GameStore
    /// The store for the dispatcher's presence.
    let leases: GameStore
    /// The store for monitoring.
    let monitoring: GameStore
    /// The transactions that wait for shards.
    let shardQueue = ShardQueue()

    /// Creates the pools, which connect when they run.
    init(_ settings: DatabaseSettings, metrics: NodeMetrics, logger: Logger) {
        let requestPool = PostgresPool(settings, logger: logger)
        let workPool = PostgresPool(
            settings,
            connections: Self.workConnections,
            statementTimeout: Self.workTimeout,
            logger: logger
        )
        let leasePool = PostgresPool.forLeases(settings, logger: logger)
        let monitoringPool = PostgresPool(
            settings,
            connections: Self.monitoringConnections,
            statementTimeout: Self.monitoringTimeout,
            logger: logger
        )
        pools = [requestPool, workPool, leasePool, monitoringPool]
        let outages = WorkerOutages()
        requests = GameStore(
            pool: requestPool,
            queue: shardQueue,
            outages: outages,
            metrics: metrics.store,
            logger: logger
        )
        work = GameStore(
            pool: workPool,
            queue: shardQueue,
            outages: outages,
            metrics: metrics.store,
            logger: logger
        )
        leases = GameStore(pool: leasePool, outages: outages, metrics: metrics.store, logger: logger)
        monitoring = GameStore(pool: monitoringPool, outages: outages, metrics: metrics.store)
        for (pool, name) in [
            (requestPool, "requests"), (workPool, "work"), (leasePool, "leases"), (monitoringPool, "monitoring"),
        ] {
            metrics.watch(pool, as: name)
        }
        metrics.watch(monitoring, runtime: .system, logger: logger)
    }
}
