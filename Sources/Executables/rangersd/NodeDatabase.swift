import ServiceRuntime
import GameStore
import Logging
import NodeMonitoring
import PostgresClient
import RangersSettings
import ServiceLifecycle

/// A node's ways to the database, each over connections of its own: requests may use up theirs, and ticks and pushes must go
/// on then, leases be renewed, and the node be watched.
struct NodeDatabase {
    /// How many connections engine and dispatcher share: each works on four shards at once.
    private static let workConnections = 8
    /// A batch of ticks or of pushes takes milliseconds; what a lock or a silent network holds up gives way to the rest.
    private static let workTimeout = Duration.seconds(5)
    /// How many connections what watches the node has for itself: it must see what is wrong while others wait.
    private static let monitoringConnections = 2
    /// What watches the node asks little, and gives up soon.
    private static let monitoringTimeout = Duration.seconds(5)

    /// All of them, to be run.
    let pools: [any Service]
    /// For requests, and for what may take its time.
    let requests: GameStore
    /// For the engine and the dispatcher.
    let work: GameStore
    /// For the dispatcher's leases.
    let leases: GameStore
    /// For what watches the node.
    let monitoring: GameStore

    /// The ways to a database; no connection is made before the pools run.
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
        requests = GameStore(pool: requestPool, metrics: metrics.store, logger: logger)
        work = GameStore(pool: workPool, metrics: metrics.store, logger: logger)
        leases = GameStore(pool: leasePool, metrics: metrics.store, logger: logger)
        monitoring = GameStore(pool: monitoringPool, metrics: metrics.store)
        for (pool, name) in [
            (requestPool, "requests"), (workPool, "work"), (leasePool, "leases"), (monitoringPool, "monitoring"),
        ] {
            metrics.watch(pool, as: name)
        }
        metrics.watch(monitoring, runtime: .system)
    }
}
