public import RangersMetrics

/// The metrics of retention workers.
public struct RetentionMetrics: Sendable {
    enum Kind: String, MetricLabels, CaseIterable {
        case idempotencyRecord
        case adventure
        case entry
        case activity
        case decisions
        case party
        case inviteCode
        case registration
        case quota
        case device
        case adventureOutline
        case partyOutline
        case leftParty
        case playedAdventure
        case score
        case raidRound
        case raid

        static let names = ["kind"]
        var values: [String] { [rawValue] }
    }

    let removed: Counters<Kind>
    let failures: Counters<NoLabels>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        removed = registry.counters(
            "rangers_retention_removed_total",
            "Expired rows removed by this node; an adventure or party keeps its outline for longer.",
            by: Kind.self,
            showing: Kind.allCases
        )
        failures = registry.counters(
            "rangers_retention_failures_total",
            "Sweeps that could not remove all expired data; a later sweep continues."
        )
    }
}
