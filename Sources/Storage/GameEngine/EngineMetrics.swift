import Encodings
import GameCore
public import RangersMetrics

/// What an engine counts and measures.
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

    /// Declares the metrics; those of a registry that nobody reads cost next to nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        ticks = registry.counters(
            "rangers_ticks_total",
            "Ticks that this node has played: steps of journeys and overdue turns of boss fights.",
            by: Kind.self,
            showing: Kind.allCases
        )
        lag = registry.histograms(
            "rangers_tick_lag_seconds",
            "How late the oldest tick of a batch was: from when it was due to its commit.",
            bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
        )
        batchSize = registry.histograms(
            "rangers_tick_batch_ticks",
            "Ticks that one transaction has played.",
            bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500]
        )
        batchDuration = registry.histograms(
            "rangers_tick_batch_duration_seconds",
            "What a transaction with ticks took, from asking for its shard to its commit.",
            bounds: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
        )
        failures = registry.counters(
            "rangers_tick_failures_total",
            "Batches of ticks that failed; their shards are tried again."
        )
    }
}

/// What one transaction has played.
struct TickBatch: Sendable {
    var journeyTicks = 0
    var fightTicks = 0
    /// When the oldest of them was due; nil when nothing was.
    var oldestDue: Timestamp?

    var ticks: Int { journeyTicks + fightTicks }

    mutating func played(aTickDueAt moment: Timestamp) {
        oldestDue = min(oldestDue ?? moment, moment)
    }
}
