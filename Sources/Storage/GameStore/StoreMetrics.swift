public import RangersMetrics

/// What a store counts.
public struct StoreMetrics: Sendable {
    struct Kind: MetricLabels {
        static let names = ["kind"]
        let kind: String
        var values: [String] { [kind] }
    }

    private let events: Counters<Kind>

    /// Declares the metrics; those of a registry that nobody reads cost next to nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        events = registry.counters(
            "rangers_events_total",
            "Entries that this node has committed to the logs, by their kind.",
            by: Kind.self
        )
    }

    /// A transaction with entries of these kinds is committed.
    func committed(_ kinds: [String]) {
        events.add(each: kinds.lazy.map(Kind.init))
    }
}
