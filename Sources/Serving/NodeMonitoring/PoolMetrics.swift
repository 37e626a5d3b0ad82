import PostgresClient
import RangersMetrics

/// The metrics of PostgreSQL connection pools.
struct PoolMetrics: Sendable {
    struct Pool: MetricLabels {
        static let names = ["pool"]
        let pool: String
        var values: [String] { [pool] }
    }

    struct PoolState: MetricLabels {
        static let names = ["pool", "state"]
        let pool: String
        let state: String
        var values: [String] { [pool, state] }
    }

    private let connections: Gauges<PoolState>
    private let limits: Gauges<Pool>
    private let waiting: Gauges<Pool>

    init(in registry: MetricRegistry) {
        connections = registry.gauges(
            "rangers_postgres_connections",
            "Connections to PostgreSQL by pool and state (lent, idle).",
            by: PoolState.self
        )
        limits = registry.gauges(
            "rangers_postgres_connections_max",
            "Maximum number of connections of a pool.",
            by: Pool.self
        )
        waiting = registry.gauges(
            "rangers_postgres_waiting",
            "Requests that wait for a connection from a pool.",
            by: Pool.self
        )
    }

    func update(_ statistics: PostgresPoolStatistics, of pool: String) {
        connections.set(Double(statistics.inUse), of: PoolState(pool: pool, state: "lent"))
        connections.set(Double(statistics.idle), of: PoolState(pool: pool, state: "idle"))
        limits.set(Double(statistics.limit), of: Pool(pool: pool))
        waiting.set(Double(statistics.waiting), of: Pool(pool: pool))
    }
}
