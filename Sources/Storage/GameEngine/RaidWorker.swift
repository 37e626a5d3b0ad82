import GameCore
import GameLog
public import GameStore
public import Logging
public import RangersMetrics
public import ServiceLifecycle
public import ServiceRuntime
import Synchronization

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
    private let progress = RaidsInProgress()

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
        await withDiscardingTaskGroup { group in
            while (try? await runtime.sleep(quiet == 0 ? Self.interval : Self.interval * Self.quietLooks)) != nil {
                let raids = await openRaids()
                // A raid that waits for a shard's lock delays no other raid.
                for raid in raids where progress.begin(raid.id) { group.addTask { await advance(raid) } }
                quiet = raids.isEmpty ? 1 : 0
            }
        }
    }

    /// Advances every raid once, for callers that advance the time themselves.
    /// - Returns: the number of raids with work left.
    @discardableResult
    public func runCycle() async -> Int {
        let raids = await openRaids()
        await withDiscardingTaskGroup { group in
            for raid in raids where progress.begin(raid.id) { group.addTask { await advance(raid) } }
        }
        return raids.count
    }

    /// Returns the raids with work left; none if they cannot be read.
    private func openRaids() async -> [Raid] {
        do {
            let raids = try await store.openRaids()
            let open = Set(raids.map(\.id))
            store.forgetRaids(besides: open)
            progress.keep(open)
            showProgress()
            return raids
        } catch {
            if !error.isFromStop { logger.error("the raids could not be read", metadata: ["error": "\(error)"]) }
            return []
        }
    }

    private func advance(_ raid: Raid) async {
        do {
            let advanced = try await store.advance(raid)
            metrics.rounds.add(advanced.rounds)
            metrics.failures.add(advanced.failures.count)
            let before = progress.end(raid.id, advanced)
            for (shard, error) in advanced.failures.sorted(by: { $0.key < $1.key }) {
                logger.log(
                    level: before?.failures[shard] == nil ? .error : .debug,
                    "a shard could not be reached for a raid",
                    metadata: ["raid": "\(raid.id)", "shard": "\(shard.rawValue)", "error": "\(error)"]
                )
            }
            showProgress()
            if advanced.deliveries > 0 { wakeSignal.notify() }
        } catch {
            let isKnown = progress.fail(raid.id)
            guard !error.isFromStop else { return }
            metrics.failures.add()
            logger.log(
                level: isKnown ? .debug : .error,
                "a raid could not be advanced",
                metadata: ["raid": "\(raid.id)", "error": "\(error)"]
            )
        }
    }

    private func showProgress() {
        let (lag, waitingShards) = progress.summary
        metrics.lag.set(lag / .seconds(1))
        metrics.waitingShards.set(Double(waitingShards))
    }
}

/// The raids that a worker advances, each with what it did last.
private final class RaidsInProgress: Sendable {
    private struct State {
        /// Those that are being advanced now.
        var inFlight: Set<RaidID> = []
        var newest: [RaidID: RaidProgress] = [:]
        /// Those whose last attempt failed.
        var failing: Set<RaidID> = []
    }

    private let state = Mutex(State())

    /// Begins to advance a raid.
    /// - Returns: false if it is being advanced.
    func begin(_ id: RaidID) -> Bool { state.withLock { $0.inFlight.insert(id).inserted } }

    /// Notes what was done for a raid.
    /// - Returns: what was done before; nil for nothing.
    func end(_ id: RaidID, _ progress: RaidProgress) -> RaidProgress? {
        state.withLock { state in
            state.inFlight.remove(id)
            state.failing.remove(id)
            return state.newest.updateValue(progress, forKey: id)
        }
    }

    /// Notes that a raid could not be advanced.
    /// - Returns: whether that was so before.
    func fail(_ id: RaidID) -> Bool {
        state.withLock { state in
            state.inFlight.remove(id)
            return !state.failing.insert(id).inserted
        }
    }

    /// Forgets all raids but some.
    func keep(_ ids: Set<RaidID>) {
        state.withLock { state in
            state.newest = state.newest.filter { ids.contains($0.key) }
            state.failing.formIntersection(ids)
        }
    }

    /// The longest lag, and the number of shards that raids wait for.
    var summary: (lag: Duration, waitingShards: Int) {
        state.withLock { state in
            let lag = state.newest.values.map(\.lag).max() ?? .zero
            return (lag, Set(state.newest.values.flatMap(\.waitingFor)).count)
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
            "Shards for whose rows or blows of a round a raid waits for more than a second.",
            startsAtZero: true
        )
        failures = registry.counters(
            "rangers_raid_failures_total",
            "Raids that could not be advanced, and shards that could not be reached for one; both are retried."
        )
    }
}
