import Encodings
import GameCore
import GameStore
import RangersMetrics

/// What only the database knows: the same on every node.
struct DatabaseMetrics: Sendable {
    struct Kind: MetricLabels {
        static let names = ["kind"]
        let kind: String
        var values: [String] { [kind] }
    }

    /// For how long an answer is good: shorter than scrapes are apart, so that two servers that scrape share one.
    private static let interval = Duration.seconds(5)
    /// How long a scrape waits: well below the ten seconds that Prometheus grants it.
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
            "1 when the database has answered this node's question for what follows, else 0."
        )
        adventures = registry.gauges(
            "rangers_adventures",
            "Adventures under way over all nodes, by kind; boss fights with an open turn.",
            by: Kind.self
        )
        activities = registry.gauges("rangers_live_activities", "Live activities over all nodes.")
        oldestUnsent = registry.gauges(
            "rangers_oldest_unsent_change_seconds",
            "Age of the oldest change that a phone is owed, or that no dispatcher has looked at; 0 when there is none."
        )
        overdueTurn = registry.gauges(
            "rangers_oldest_overdue_turn_seconds",
            "How long ago the turn of a boss fight was due that has waited longest to be played; 0 when none is overdue."
        )
        oldestSnapshot = registry.gauges(
            "rangers_oldest_snapshot_seconds",
            "For how long a transaction has kept the database from removing what was changed since; 0 when none has."
        )
    }

    static func reading(of store: GameStore) -> SharedReading<Vitals> {
        // Why the database does not answer is in the log of those who work with it.
        SharedReading(interval: interval, limit: limit) { try? await store.vitals() }
    }

    /// - Parameters:
    ///   - vitals: nil when the database has not said: better no series than one that stands still.
    ///   - now: the time.
    func take(_ vitals: Vitals?, at now: Timestamp) {
        isUp.set(vitals == nil ? 0 : 1)
        activities.set(vitals.map { Double($0.liveActivities) })
        oldestUnsent.set(vitals.map { Self.seconds(since: $0.oldestUnsent, until: now) })
        overdueTurn.set(vitals.map { Self.seconds(since: $0.oldestTurnDue, until: now) })
        oldestSnapshot.set(vitals.map { ($0.oldestSnapshot ?? .zero) / .seconds(1) })
        guard let vitals else { return adventures.replace(by: [:]) }
        adventures.replace(by: [
            Kind(kind: "journey"): Double(vitals.journeys), Kind(kind: "bossFight"): Double(vitals.bossFights),
        ])
    }

    /// - Returns: zero for what is still to come, or is nothing.
    private static func seconds(since moment: Timestamp?, until now: Timestamp) -> Double {
        moment.map { max(0, (now - $0) / .seconds(1)) } ?? 0
    }
}
