public import RangersMetrics

/// The metrics of a store.
public struct StoreMetrics: Sendable {
    struct Kind: MetricLabels {
        static let names = ["kind"]
        let kind: String
        var values: [String] { [kind] }
    }

    private let entries: Counters<Kind>
    /// The outages that transactions of this node found.
    let outages: Counters<NoLabels>
    /// The shards of which this node has read entries or a clock that the database lost.
    let forks: Counters<NoLabels>
    /// The log entries that this node has read and the database lost.
    let lostEntries: Counters<NoLabels>
    /// The seconds of games that this node has shown and the database lost.
    let lostSeconds: Counters<NoLabels>
    /// The adventures that this node could not play, or whose stored end was wrong.
    let faults: Counters<NoLabels>
    /// The transactions that gave up waiting for a shard, or were refused at once.
    let busyShards: Counters<NoLabels>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        entries = registry.counters(
            "rangers_log_entries_total",
            "Log entries committed by this node, by kind.",
            by: Kind.self
        )
        outages = registry.counters(
            "rangers_outages_total",
            "Outages of shards found by this node: times without engine or database, during which games stood still."
        )
        forks = registry.counters(
            "rangers_log_forks_total",
            "Shards that a dispatcher or the event streams of this node read anew: the database lost commits."
        )
        lostEntries = registry.counters(
            "rangers_lost_log_entries_total",
            "Log entries that this node has read and the database lost: at least as many."
        )
        lostSeconds = registry.counters(
            "rangers_lost_game_seconds_total",
            "Seconds by which the clocks of shards went back that this node has read: of each shard, rounded up."
        )
        faults = registry.counters(
            "rangers_adventure_faults_total",
            "Adventures that this node could not play, or whose stored end was wrong."
        )
        busyShards = registry.counters(
            "rangers_shard_busy_total",
            "Transactions of this node that found a shard's row held by another session, and gave up."
        )
    }

    /// Counts the log entries of a committed transaction by kind.
    func committed(_ kinds: [String]) {
        entries.add(each: kinds.lazy.map(Kind.init))
    }
}
