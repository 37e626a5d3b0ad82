import Encodings
import GameCore
import GameStore
import Logging
import RangersMetrics
import ServiceRuntime

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
    private let oldestClock: Gauges<NoLabels>
    private let setback: Gauges<NoLabels>
    private let clockOffset: Gauges<NoLabels>
    private let oldestSnapshot: Gauges<NoLabels>

    init(in registry: MetricRegistry) {
        isUp = registry.gauges(
            "rangers_database_up",
            "1 if the database responded to this node's last reading, else 0."
        )
        adventures = registry.gauges(
            "rangers_adventures",
            "Running adventures by kind, across all nodes.",
            by: Kind.self
        )
        activities = registry.gauges("rangers_live_activities", "Live activities across all nodes.")
        oldestUnsent = registry.gauges(
            "rangers_oldest_unsent_change_seconds",
            """
            Age of the oldest change that is pending, or that no dispatcher has processed; 0 if there is none. Tokens that \
            APNs has only rejected do not count.
            """
        )
        oldestClock = registry.gauges(
            "rangers_oldest_clock_seconds",
            "Age of the oldest clock of a shard with live adventures; 0 without live adventures."
        )
        setback = registry.gauges(
            "rangers_database_clock_setback_seconds",
            "How far the database's clock is behind that of a shard, because it was set back; 0 if it is not."
        )
        clockOffset = registry.gauges(
            "rangers_clock_offset_seconds",
            "How far this node's clock is ahead of the database's; negative if it is behind."
        )
        oldestSnapshot = registry.gauges(
            "rangers_oldest_snapshot_seconds",
            "Age of the oldest snapshot, which prevents vacuum from removing newer dead rows; 0 if there is none."
        )
    }

    /// Statistics of the database, and how far this node's clock was ahead of the database's then.
    struct Reading: Sendable {
        let statistics: BacklogStatistics
        let clockOffset: Duration
        /// The age of the oldest snapshot, zero if there is none; nil if it could not be read.
        var snapshotAge: Duration? = .zero
    }

    static func reading(of store: GameStore, runtime: Runtime, logger: Logger) -> SharedReading<Reading> {
        SharedReading(interval: interval, limit: limit) {
            let before = runtime.now()
            guard let statistics = await result({ try await store.backlogStatistics() }, logger) else { return nil }
            let middle = before + (runtime.now() - before) / 2
            return Reading(
                statistics: statistics,
                clockOffset: middle - statistics.databaseTime,
                snapshotAge: await result({ try await store.oldestSnapshot() ?? .zero }, logger)
            )
        }
    }

    /// Returns the result of a query; nil after a failure, which is logged.
    private static func result<Value>(_ query: () async throws -> Value, _ logger: Logger) async -> Value? {
        do {
            return try await query()
        } catch {
            logger.warning("metrics could not be read from the database", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Sets the metrics to a reading.
    /// - Parameter reading: the reading; nil if the database did not respond, which ends the series instead of repeating
    ///   old values.
    func update(_ reading: Reading?) {
        let statistics = reading?.statistics
        isUp.set(statistics == nil ? 0 : 1)
        activities.set(statistics.map { Double($0.liveActivities) })
        oldestUnsent.set(statistics.map { Self.seconds(since: $0.oldestUnsent, until: $0.databaseTime) })
        oldestClock.set(statistics.map { Self.seconds(since: $0.oldestClock, until: $0.databaseTime) })
        setback.set(statistics.map { Self.seconds(since: $0.databaseTime, until: $0.newestClock) })
        clockOffset.set(reading.map { $0.clockOffset / .seconds(1) })
        oldestSnapshot.set(reading?.snapshotAge.map { $0 / .seconds(1) })
        guard let statistics else { return adventures.replace(by: [:]) }
        adventures.replace(by: [
            Kind(kind: "journey"): Double(statistics.journeys), Kind(kind: "bossFight"): Double(statistics.bossFights),
        ])
    }

    /// Returns the seconds from a moment until another; zero if it is nil or later than the end.
    private static func seconds(since moment: Timestamp?, until end: Timestamp) -> Double {
        moment.map { max(0, (end - $0) / .seconds(1)) } ?? 0
    }
}
