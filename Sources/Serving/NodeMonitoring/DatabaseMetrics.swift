import Encodings
import GameCore
import GameStore
import RangersMetrics

/// The metrics that are read from the database.
///
/// They are the same on every node.
struct DatabaseMetrics: Sendable {
    struct Kind: MetricLabels {
        static let names = ["kind"]
        let kind: String
        var values: [String] { [kind] }
    }

    /// The time for which a reading is cached: less than the usual scrape interval, so that two Prometheus servers
    /// share a reading.
    private static let interval = Duration.seconds(5)
    /// The timeout of a reading, well below the default scrape timeout of Prometheus (10 s).
    private static let limit = Duration.seconds(2)

    private let isUp: Gauges<NoLabels>
    private let adventures: Gauges<Kind>
    private let activities: Gauges<NoLabels>
    private let oldestUnsent: Gauges<NoLabels>
    private let overdueTurn: Gauges<NoLabels>
    private let oldestSnapshot: Gauges<NoLabels>

    init(in registry: MetricRegistry) {
        isUp = registry.gauges(
            "rangers_database_up",
            "1 if the database responded to this node's last reading, else 0."
        )
        adventures = registry.gauges(
            "rangers_adventures",
            "Running adventures by kind, across all nodes. Boss fights count if a turn is open.",
            by: Kind.self
        )
        activities = registry.gauges("rangers_live_activities", "Live activities across all nodes.")
        oldestUnsent = registry.gauges(
            "rangers_oldest_unsent_change_seconds",
            "Age of the oldest change that is pending, or that no dispatcher has processed; 0 if there is none."
        )
        overdueTurn = registry.gauges(
            "rangers_oldest_overdue_turn_seconds",
            "Time since the oldest overdue turn of a boss fight was due; 0 if none is overdue."
        )
        oldestSnapshot = registry.gauges(
            "rangers_oldest_snapshot_seconds",
            "Age of the oldest snapshot, which prevents vacuum from removing newer dead rows; 0 if there is none."
        )
    }

    static func reading(of store: GameStore) -> SharedReading<BacklogStatistics> {
        // The log of failed requests and commands has the error.
        SharedReading(interval: interval, limit: limit) { try? await store.backlogStatistics() }
    }

    /// Sets the metrics to a reading.
    /// - Parameters:
    ///   - statistics: the reading; nil if the database did not respond, which ends the series instead of repeating old
    ///     values.
    ///   - now: the time.
    func update(_ statistics: BacklogStatistics?, at now: Timestamp) {
        isUp.set(statistics == nil ? 0 : 1)
        activities.set(statistics.map { Double($0.liveActivities) })
        oldestUnsent.set(statistics.map { Self.seconds(since: $0.oldestUnsent, until: now) })
        overdueTurn.set(statistics.map { Self.seconds(since: $0.oldestTurnDue, until: now) })
        oldestSnapshot.set(statistics.map { ($0.oldestSnapshot ?? .zero) / .seconds(1) })
        guard let statistics else { return adventures.replace(by: [:]) }
        adventures.replace(by: [
            Kind(kind: "journey"): Double(statistics.journeys), Kind(kind: "bossFight"): Double(statistics.bossFights),
        ])
    }

    /// Returns the seconds since a moment; zero if it is nil or in the future.
    private static func seconds(since moment: Timestamp?, until now: Timestamp) -> Double {
        moment.map { max(0, (now - $0) / .seconds(1)) } ?? 0
    }
}
