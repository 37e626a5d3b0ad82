import Encodings
import GameCore
import GameStore
public import RangersMetrics

/// The metrics of an engine.
public struct EngineMetrics: Sendable {
    enum Kind: String, MetricLabels, CaseIterable {
        case journey
        case bossFight
        case raid

        static let names = ["kind"]
        var values: [String] { [rawValue] }
    }

    private let ends: Counters<Kind>
    private let ticks: Counters<Kind>
    private let lag: Histograms<NoLabels>
    private let duration: Histograms<NoLabels>
    let failures: Counters<NoLabels>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        ends = registry.counters(
            "rangers_adventures_ended_total",
            "Adventures whose end this node's engine recorded.",
            by: Kind.self,
            showing: Kind.allCases
        )
        ticks = registry.counters(
            "rangers_ticks_total",
            "Ticks of the adventures whose end this node's engine recorded.",
            by: Kind.self,
            showing: Kind.allCases
        )
        lag = registry.histograms(
            "rangers_clock_lag_seconds",
            "How late this node moved the clock of a shard with live adventures.",
            bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
        )
        duration = registry.histograms(
            "rangers_clock_move_duration_seconds",
            "The duration of a transaction that moves a clock, from the request for its shard to its commit.",
            bounds: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
        )
        failures = registry.counters(
            "rangers_clock_failures_total",
            "Clocks that could not be moved; their shards are retried."
        )
    }

    /// Records that a clock was moved.
    func moved(_ move: ClockMove, in duration: Duration) {
        self.duration.observe(duration)
        lag.observe(move.lag)
        for (kind, ticks) in move.closed {
            let label = Kind(kind)
            ends.add(to: label)
            self.ticks.add(ticks, to: label)
        }
    }
}

extension EngineMetrics.Kind {
    fileprivate init(_ kind: AdventureKind) {
        switch kind {
        case .journey: self = .journey
        case .bossFight: self = .bossFight
        case .raid: self = .raid
        }
    }
}
