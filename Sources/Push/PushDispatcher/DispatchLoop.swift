import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

/// The state of a dispatcher, and one poll cycle of its loop.
///
/// It is an actor, because several tasks call it: the poll cycles, one at a time; concurrently, what reacts to outcomes
/// of pushes and to time, and the acquisition of shards; and at a stop the drain, whose task is shielded from cancellation.
/// Each step of a follower is one call without await in between.
///
/// A poll cycle handles completed pushes, reads the logs, evaluates activities and flushes. Any of these steps fails if
/// the database does. The next cycle then continues, since every step is idempotent.
///
/// It decides nothing about pushes: `ShardFollower` does. `+Log` reads the logs and the clocks for the followers, and
/// `+Loading` the adventures and activities that are new here; `+Effects` performs what they ask for and passes them the
/// outcomes of pushes, `+Flushing` stores their state, and `+Leases` acquires shards.
actor DispatchLoop {
    /// The minimum time between two evaluations of what time makes due, so that pushes are sent in batches.
    static let minReactionPause = Duration.milliseconds(4)
    /// The delay after a failure of the database.
    static let pauseAfterFailure = Duration.seconds(1)
    /// The maximum number of log entries that one query reads.
    static let logPage = 1_000
    /// The maximum number of pages of one log read in a cycle, so that a long log does not delay the other shards.
    static let pagesPerCycle = 10
    /// The number of shards acquired and loaded concurrently, each over a connection of its own.
    ///
    /// PostgreSQL makes concurrent commits durable together.
    static let maxConcurrentLoads = 6
    /// The number of shards flushed concurrently, each over a connection of its own.
    static let maxConcurrentFlushes = 4
    /// The step back of the clock after which all activities are evaluated.
    static let toleratedClockStep = Duration.seconds(10)
    /// The interval between checks of the activities' ages; a delay of minutes does not matter.
    static let ageInterval = Duration.seconds(60)

    /// The time after which a shard that needs a newer version is tried again: what is wrong may have been damage.
    static let unsupportedRetryInterval = Duration.seconds(600)
    /// For how long after an interruption of the database the shards that are loaded may lack what was sent before.
    static let correctionTime = Duration.seconds(60)
    /// How much further ahead the first timestamp of a lease then is: the newest leases may be lost, too.
    static let timestampReserve = Duration.seconds(3)

    let store: GameStore
    /// The store for the presence of dispatchers, with connections of its own.
    let leaseStore: GameStore
    let settings: DispatcherSettings
    let runtime: Runtime
    let wakeSignal: WakeSignal
    nonisolated let presence: Presence
    /// The incarnation of the node that has acquired the leases.
    var holder: UUID
    nonisolated let completedPushes = CompletedPushes()
    let environments: Set<PushEnvironment>
    nonisolated let breakers: CircuitBreakers
    let outgoing: AsyncStream<[OutgoingPush]>.Continuation
    let startRequests: AsyncStream<StartRequest>.Continuation
    let alertWork: AsyncStream<AlertWork>.Continuation
    let metrics: DispatcherMetrics
    let logger: Logger

    var shards: [Shard: LeasedShard] = [:]
    /// What the followers of the shards share.
    var context: FollowerContext
    /// The pushes that are decided and not yet submitted.
    var decidedPushes: [PushEnvironment: [OutgoingPush]] = [:]
    /// The shards that need a newer version of the program, each with the time at which this node tries it again.
    var unsupportedShards: [Shard: ContinuousClock.Instant] = [:]
    /// The shards that could not be acquired or loaded, each with the time at which this node tries it again.
    var pausedShards: [Shard: ContinuousClock.Instant] = [:]
    /// The leases that this node may hold without following their shards: it is still to release them.
    var strayLeases: [Shard: ShardLease] = [:]
    /// When the leases of this node were last found to be others in the database than it knew; nil if they never were.
    var reconciledAt: ContinuousClock.Instant?
    /// Whether the other nodes know that this incarnation knows everything in all shards; nil if that is not known.
    var isKnownToKnowAll: Bool?
    /// The beginning of the last read of all heads.
    var followedAt: ContinuousClock.Instant
    var hasFailed = false
    var isBehind = false
    var flushDueAt: ContinuousClock.Instant
    /// The shards that are still to be flushed in this interval.
    var shardsToFlush: ArraySlice<Shard> = []
    /// The earliest time of the next flush: in the future only after a failure.
    var nextFlushAt: ContinuousClock.Instant
    var agesDueAt: ContinuousClock.Instant
    /// When what was due was last evaluated, by the database's clock; nil before the first time.
    var evaluatedAt: Timestamp?
    /// The time of the next look for adventures whose members have registered alert tokens.
    var alertLookDueAt: ContinuousClock.Instant

    /// Creates the loop of a dispatcher.
    /// - Parameters:
    ///   - dispatcher: the dispatcher.
    ///   - outgoing: receives the pushes in batches, each for one environment.
    ///   - startRequests: receives the requests to start activities.
    ///   - alertWork: receives the work for ordinary alerts.
    init(
        of dispatcher: PushDispatcher,
        sending outgoing: AsyncStream<[OutgoingPush]>.Continuation,
        requesting startRequests: AsyncStream<StartRequest>.Continuation,
        alerting alertWork: AsyncStream<AlertWork>.Continuation
    ) {
        store = dispatcher.store
        leaseStore = dispatcher.leaseStore
        settings = dispatcher.settings
        runtime = dispatcher.runtime
        wakeSignal = dispatcher.wakeSignal
        metrics = dispatcher.metrics
        logger = dispatcher.logger
        environments = Set(dispatcher.clients.keys)
        presence = Presence(
            in: leaseStore,
            sendingTo: environments,
            for: settings.leaseDuration,
            runtime: dispatcher.runtime
        ) { [metrics, logger] error, isFirst in
            if error.isCancellation { return }
            metrics.failures.add()
            // The tries are too many to log each.
            guard isFirst else { return }
            logger.error("the presence of this node could not be renewed", metadata: ["error": "\(error)"])
        }
        // Never registered.
        holder = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        breakers = CircuitBreakers(
            of: dispatcher.clients,
            limits: settings.breakerLimits,
            metrics: metrics,
            logger: logger
        )
        let runtime = dispatcher.runtime
        context = FollowerContext(
            FollowerContext.Settings(
                policy: CadencePolicy.Shared(settings.policy),
                environments: environments,
                maxInFlight: settings.maxInFlight,
                openBreakerDelay: settings.openBreakerDelay,
                leaseRetryDelay: settings.leaseDuration / 3,
                answerLimit: settings.answerLimit
            ),
            now: runtime.now(),
            uptime: runtime.uptime(),
            randomBits: { runtime.randomBits() }
        )
        self.outgoing = outgoing
        self.startRequests = startRequests
        self.alertWork = alertWork
        flushDueAt = runtime.uptime()
        nextFlushAt = runtime.uptime()
        agesDueAt = runtime.uptime()
        alertLookDueAt = runtime.uptime()
        followedAt = runtime.uptime()
    }

    /// The number of pushes in flight to all environments.
    var inFlightCount: Int { context.inFlightCount }
    /// The number of pushes decided so far.
    var pushes: Int { context.pushes }

    /// The shards whose leases this node holds.
    var heldShards: [Shard] { shards.values.filter { !$0.isLapsed }.map(\.shard).sorted() }

    /// The time limit of the wait for a wake signal.
    var pause: Duration {
        if hasFailed { return Self.pauseAfterFailure }
        let mayFlush = !shardsToFlush.isEmpty && runtime.uptime() >= nextFlushAt
        return isBehind || mayFlush ? .zero : settings.pollInterval
    }

    /// The time limit of the wait for outcomes of pushes: until an activity is due.
    var reactionPause: Duration {
        guard !context.hasQueued else { return .zero }
        let settings = context.settings
        guard let next = shards.values.lazy.compactMap({ $0.follower.dueAt(settings) }).min() else {
            return self.settings.pollInterval
        }
        return max(Self.minReactionPause, min(self.settings.pollInterval, next - presence.now))
    }

    /// Handles the outcomes of pushes, and evaluates activities that time makes due.
    ///
    /// The pushes that a step has decided are submitted together, before the loop waits for anything.
    func react() {
        handleCompletedPushes()
        evaluateQueued()
        evaluateDue()
        submitDecided()
    }

    /// Runs one poll cycle.
    ///
    /// While it waits for the database, others call ``react()``.
    func runPollCycle() async {
        hasFailed = false
        isBehind = false
        completeOverdue()
        react()
        await handOver()
        await findAlertDevices()
        await reporting("the heads of the shards could not be read") { try await follow() }
        react()
        await flushIfDue()
    }

    /// Waits for the pushes in flight, flushes during and after the wait, and releases the leases.
    func drain() async {
        let deadline = runtime.uptime() + settings.drainLimit
        context.isDraining = true
        hasFailed = false
        handleCompletedPushes()
        while inFlightCount > 0, runtime.uptime() < deadline {
            // A push without a response must not delay the results of the others.
            await flushIfDue()
            await completedPushes.signal.wait(atMost: settings.pollInterval, sleeping: runtime.sleep)
            handleCompletedPushes()
        }
        if inFlightCount > 0 {
            logger.warning("stopping without the responses to some pushes", metadata: ["pushes": "\(inFlightCount)"])
        }
        // A push without a response may have been sent, so its timestamp counts as used.
        for leased in shards.values { leased.follower.abandonPushesInFlight() }
        // Retry once: the failure may be a broken connection.
        if await !flushAll() { _ = await flushAll() }
        // A concurrent renewal must not register another incarnation.
        presence.stop()
        let held = shards.values.filter { !$0.isLapsed }.sorted { $0.shard < $1.shard }
        let flushed = held.filter { $0.follower.isFlushed }.map(\.lease)
        shards.removeAll()
        if flushed.count == held.count {
            // This releases all leases.
            await reporting("the presence of this node could not be ended; it will expire") {
                try await leaseStore.end(dispatcher: presence.holder ?? holder)
            }
        } else {
            // The next holder must not repeat pushes, so the lease of an unflushed shard is left to expire.
            await release(flushed + strayLeases.values.sorted { $0.shard < $1.shard })
        }
        measure()
    }

    /// Updates the gauges.
    func measure() {
        measureLeases()
        metrics.activities.set(Double(shards.values.reduce(0) { $0 + $1.follower.activityCount }))
        metrics.inFlight.set(Double(inFlightCount))
        metrics.waiting.set(Double(context.waitingCount))
    }

    /// Updates the gauge of leased shards.
    func measureLeases() {
        let isSending = presence.sendUntil(of: holder) > runtime.uptime()
        metrics.leasedShards.set(isSending ? Double(shards.values.count { !$0.isLapsed }) : 0)
    }

    func reporting(_ failure: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            hasFailed = true
            report(error, failure)
        }
    }

    func report(_ error: any Error, _ failure: String) {
        if error.isCancellation { return }
        metrics.failures.add()
        logger.error("\(failure)", metadata: ["error": "\(error)"])
    }

    func metadata(of key: ActivityKey, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["adventure": "\(key.adventureID)", "activity": "\(key.activityID)"]) { $1 }
    }
}
