public import RangersMetrics

/// What a housekeeper counts.
public struct RetentionMetrics: Sendable {
    enum Kind: String, MetricLabels, CaseIterable {
        case answer
        case adventure
        case event
        case input
        case activity
        case decisions
        case party
        case inviteCode

        static let names = ["kind"]
        var values: [String] { [rawValue] }
    }

    let removed: Counters<Kind>
    let failures: Counters<NoLabels>

    /// Declares the metrics; those of a registry that nobody reads cost next to nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        removed = registry.counters(
            "rangers_retention_removed_total",
            "Rows that this node has removed since their time was over; adventures and parties lose all but their outline.",
            by: Kind.self,
            showing: Kind.allCases
        )
        failures = registry.counters(
            "rangers_retention_failures_total",
            "Rounds of removal that left something which could not be removed; a later one goes on."
        )
    }
}
