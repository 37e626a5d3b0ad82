public import RangersMetrics

/// The metrics of a store.
public struct StoreMetrics: Sendable {
    struct Kind: MetricLabels {
        static let names = ["kind"]
        let kind: String
        var values: [String] { [kind] }
    }

    private let events: Counters<Kind>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        events = registry.counters(
            "rangers_events_total",
            "Log entries committed by this node, by kind.",
            by: Kind.self
        )
    }

    /// Counts the log entries of a committed transaction by kind.
    func committed(_ kinds: [String]) {
        events.add(each: kinds.lazy.map(Kind.init))
    }
}
