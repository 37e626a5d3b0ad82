import Encodings
import GameCore
public import RangersMetrics

/// The metrics of an engine.
public struct EngineMetrics: Sendable {
    enum Kind: String, MetricLabels, CaseIterable {
        case journey
        case bossFight

        static let names = ["kind"]
        var values: [String] { [rawValue] }
    }

    let ticks: Counters<Kind>
    let lag: Histograms<NoLabels>
    let batchSize: Histograms<NoLabels>
    let batchDuration: Histograms<NoLabels>
    let failures: Counters<NoLabels>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        ticks = registry.counters(
            "rangers_ticks_total",
            "Ticks played by this node: ticks of journeys and overdue turns of boss fights.",
            by: Kind.self,
            showing: Kind.allCases
        )
        lag = registry.histograms(
            "rangers_tick_lag_seconds",
            "The delay of the oldest tick of a batch, from its due time to its commit.",
            bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
        )
        batchSize = registry.histograms(
            "rangers_tick_batch_ticks",
            "The number of ticks played by one transaction.",
            bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500]
        )
        batchDuration = registry.histograms(
            "rangers_tick_batch_duration_seconds",
            "The duration of a transaction with ticks, from the request for its shard to its commit.",
            bounds: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
        )
        failures = registry.counters(
            "rangers_tick_failures_total",
            "Failed batches of ticks; their shards are retried."
        )
    }
}

/// The ticks played by one transaction.
struct TickBatch: Sendable {
    var journeyTicks = 0
    var fightTicks = 0
    /// When the oldest tick was due; nil if there were none.
    var oldestDue: Timestamp?

    var ticks: Int { journeyTicks + fightTicks }

    mutating func played(aTickDueAt moment: Timestamp) {
        oldestDue = min(oldestDue ?? moment, moment)
    }
}
