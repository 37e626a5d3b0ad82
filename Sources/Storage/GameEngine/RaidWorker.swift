import GameCore
import GameLog
public import GameStore
public import Logging
public import RangersMetrics
public import ServiceLifecycle
public import ServiceRuntime

/// Adds up the rounds of raids, and delivers what their homes decide.
///
/// Every node with an engine runs a worker. While one of them adds up the rounds of a raid, the others skip it.
public struct RaidWorker: Service {
    private static let interval = Duration.milliseconds(200)
    /// The number of looks at the database after which one is made even though there was no raid at the one before.
    private static let quietLooks = 5

    private let store: GameStore
    private let runtime: Runtime
    private let wakeSignal: WakeSignal
    private let metrics: RaidMetrics
    private let logger: Logger

    /// Creates a worker.
    /// - Parameters:
    ///   - store: the store.
    ///   - runtime: the clock.
    ///   - wakeSignal: notified after decisions were delivered.
    ///   - metrics: the metrics of raids.
    ///   - logger: the logger for failures.
    public init(
        store: GameStore,
        runtime: Runtime,
        wakeSignal: WakeSignal,
        metrics: RaidMetrics = RaidMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.metrics = metrics
        self.logger = logger
    }

    /// Works until graceful shutdown or cancellation.
    public func run() async throws { await cancelWhenGracefulShutdown { await runUntilCancelled() } }

    /// Works until cancellation.
    package func runUntilCancelled() async {
        var quiet = 0
        while (try? await runtime.sleep(quiet == 0 ? Self.interval : Self.interval * Self.quietLooks)) != nil {
            quiet = await runCycle() == 0 ? 1 : 0
        }
    }

    /// Advances every raid once, for callers that advance the time themselves.
    /// - Returns: the number of raids with work left.
    @discardableResult
    public func runCycle() async -> Int {
        do {
            let raids = try await store.openRaids()
            if raids.isEmpty { store.forgetRaids() }
            var (lag, waiting) = (Duration.zero, Set<UInt8>())
            for raid in raids {
                try Task.checkCancellation()
                do {
                    let progress = try await store.advance(raid)
                    metrics.rounds.add(progress.rounds)
                    metrics.failures.add(progress.failures.count)
                    lag = max(lag, progress.lag)
                    waiting.formUnion(progress.waitingFor.map(\.rawValue))
                    if progress.deliveries > 0 { wakeSignal.notify() }
                } catch {
                    guard !error.isFromStop else { return raids.count }
                    metrics.failures.add()
                    logger.error("a raid could not be advanced", metadata: ["raid": "\(raid.id)", "error": "\(error)"])
                }
            }
            metrics.lag.set(lag / .seconds(1))
            metrics.waitingShards.set(Double(waiting.count))
            return raids.count
        } catch {
            if !error.isFromStop { logger.error("the raids could not be read", metadata: ["error": "\(error)"]) }
            return 0
        }
    }
}

/// The metrics of raids.
public struct RaidMetrics: Sendable {
    let rounds: Counters<NoLabels>
    let lag: Gauges<NoLabels>
    let waitingShards: Gauges<NoLabels>
    let failures: Counters<NoLabels>

    /// Declares the metrics.
    ///
    /// In the default registry, which is never exported, they cost almost nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        rounds = registry.counters("rangers_raid_rounds_total", "Rounds of raids that this node added up.")
        lag = registry.gauges(
            "rangers_raid_lag_seconds",
            "How long ago the oldest round of a raid ended that is not added up.",
            startsAtZero: true
        )
        waitingShards = registry.gauges(
            "rangers_raid_waiting_shards",
            "Shards for whose rows of a round a raid waits for more than a second.",
            startsAtZero: true
        )
        failures = registry.counters(
            "rangers_raid_failures_total",
            "Raids that could not be advanced, and shards that could not be reached for one; both are retried."
        )
    }
}
