import DequeModule
import Encodings
import Foundation
import GameCore
import GameStore
import HeapModule
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

/// The state of a dispatcher, and one poll cycle of its loop.
///
/// It is an actor, because several tasks call it: the dispatcher's loop, one call at a time; concurrently, the renewal
/// of the leases; and at a stop the drain, whose task is shielded from cancellation.
///
/// A poll cycle acquires shards, handles completed pushes, reads the logs, evaluates activities and flushes. Any of
/// these steps fails if the database does. The next cycle then continues, since every step is idempotent.
///
/// Each extension has one step on the way of an event: `+Log` reads the logs and the clocks, `+Loading` the adventures
/// and activities that are new here, `+Observing` plays the timelines and applies the rules to their events,
/// `+Evaluation` gets the decisions of the cadence, `+Sending` builds the pushes, which ``PushDispatcher`` passes to the
/// APNs client, `+Completion` handles their outcomes, and `+Flushing` stores these. `+Leases` and `+Starts` acquire
/// shards and request push-to-starts. `FollowedShard.swift` and `FollowedActivity.swift` have the state.
actor DispatchLoop {
    /// The maximum number of shards acquired in a cycle; between cycles, a node that starts alone sends pushes.
    static let shardsPerCycle = 32
    /// The delay after a failure of the database.
    static let pauseAfterFailure = Duration.seconds(1)
    /// The maximum number of log entries that one query reads.
    static let logPage = 1_000
    /// The maximum number of pages of one log read in a cycle, so that a long log does not delay the other shards.
    static let pagesPerCycle = 10
    /// The maximum `Retry-After` that is respected, in seconds.
    static let maxRetryAfterSeconds = 3_600
    /// The maximum number of doublings of an activity's delay after doubtful rejections of its token.
    static let maxDoublings = 5
    /// The number of shards flushed concurrently, each over a connection of its own.
    static let maxConcurrentFlushes = 4
    /// The interval between checks of the activities' ages; a delay of minutes does not matter.
    static let ageInterval = Duration.seconds(60)

    /// The time after which a shard that needs a newer version is tried again: what is wrong may have been damage.
    static let unsupportedRetryInterval = Duration.seconds(600)

    /// The age from which a pending change is flushed for operators, without a push.
    static let pendingFlushDelay = Duration.seconds(5)

    let store: GameStore
    /// The store for leases, with connections of its own.
    let leaseStore: GameStore
    let settings: DispatcherSettings
    /// The policy of the settings, shared by all activities.
    let policy: CadencePolicy.Shared
    let runtime: Runtime
    let wakeSignal: WakeSignal
    let holder: UUID
    nonisolated let completedPushes = CompletedPushes()
    let environments: Set<PushEnvironment>
    nonisolated let breakers: CircuitBreakers
    let outgoing: AsyncStream<OutgoingPush>.Continuation
    let startRequests: AsyncStream<StartRequest>.Continuation
    let metrics: DispatcherMetrics
    let logger: Logger

    var shards: [Shard: FollowedShard] = [:]
    var phones: [DeviceKey: FollowedDevice] = [:]
    var wakeups = Heap<Wakeup>()
    /// The shards that need a newer version of the program, each with the time at which this node tries it again.
    var unsupportedShards: [Shard: ContinuousClock.Instant] = [:]
    var renewals: RenewalPace
    var hasFailed = false
    var isBehind = false
    var isDraining = false
    var pushes = 0
    var inFlight: [PushEnvironment: Int] = [:]
    /// The activities that wait because the maximum number of pushes to their environment is in flight.
    var pushQueues: [PushEnvironment: PushQueue] = [:]
    var encodedAdventures = EncodedAdventures(keeping: 1_000)
    var leasesDueAt: ContinuousClock.Instant
    var flushDueAt: ContinuousClock.Instant
    /// The shards that are still to be flushed in this interval.
    var shardsToFlush: ArraySlice<Shard> = []
    /// The earliest time of the next flush: in the future only after a failure.
    var nextFlushAt: ContinuousClock.Instant
    var agesDueAt: Timestamp

    /// Creates the loop of a dispatcher.
    /// - Parameters:
    ///   - dispatcher: the dispatcher.
    ///   - outgoing: receives the pushes.
    ///   - startRequests: receives the requests to start activities.
    init(
        of dispatcher: PushDispatcher,
        sending outgoing: AsyncStream<OutgoingPush>.Continuation,
        requesting startRequests: AsyncStream<StartRequest>.Continuation
    ) {
        store = dispatcher.store
        leaseStore = dispatcher.leaseStore
        settings = dispatcher.settings
        policy = CadencePolicy.Shared(settings.policy)
        runtime = dispatcher.runtime
        wakeSignal = dispatcher.wakeSignal
        metrics = dispatcher.metrics
        logger = dispatcher.logger
        var generator = runtime.generator()
        holder = UUID(version7At: runtime.now(), using: &generator)
        environments = Set(dispatcher.clients.keys)
        breakers = CircuitBreakers(
            of: dispatcher.clients,
            limits: settings.breakerLimits,
            metrics: metrics,
            logger: logger
        )
        self.outgoing = outgoing
        self.startRequests = startRequests
        renewals = RenewalPace(of: settings.leaseDuration)
        leasesDueAt = runtime.uptime()
        flushDueAt = runtime.uptime()
        nextFlushAt = runtime.uptime()
        agesDueAt = runtime.now()
    }

    /// The number of pushes in flight to all environments.
    var inFlightCount: Int { inFlight.values.reduce(0, +) }

    /// The time limit of the wait for a wake signal: until an activity is due, at most until the next poll.
    var pause: Duration {
        if hasFailed { return Self.pauseAfterFailure }
        let mayFlush = !shardsToFlush.isEmpty && runtime.uptime() >= nextFlushAt
        if isBehind || mayFlush { return .zero }
        guard let next = [wakeups.min?.at, nextStartsAt].compactMap(\.self).min() else { return settings.pollInterval }
        return max(.zero, min(settings.pollInterval, next - runtime.now()))
    }

    /// Runs one poll cycle; a push is sent as soon as it is decided.
    func runPollCycle() async {
        hasFailed = false
        isBehind = false
        handleCompletedPushes()
        evaluateQueued()
        await handOver()
        await reporting("unleased shards could not be acquired") {
            if runtime.uptime() >= leasesDueAt { try await acquireFreeShards() }
        }
        await reporting("the heads of the shards could not be read") { try await follow() }
        evaluateDue()
        requestStarts()
        evaluateAges()
        await flushIfDue()
    }

    /// Waits for the pushes in flight, flushes during and after the wait, and releases the leases.
    func drain() async {
        let deadline = runtime.uptime() + settings.drainLimit
        isDraining = true
        hasFailed = false
        handleCompletedPushes()
        while inFlightCount > 0, runtime.uptime() < deadline {
            // A push without a response must not delay the results of the others.
            await flushIfDue()
            await wakeSignal.wait(atMost: settings.pollInterval, sleeping: runtime.sleep)
            handleCompletedPushes()
        }
        if inFlightCount > 0 {
            logger.warning("stopping without the responses to some pushes", metadata: ["pushes": "\(inFlightCount)"])
        }
        // A push without a response may have been sent, so its timestamp counts as used.
        for followed in shards.values { followed.dirtyActivities.formUnion(followed.pushesInFlight) }
        // Retry once: the failure may be a broken connection.
        if await !flushAll() { _ = await flushAll() }
        // The next holder must not repeat pushes, so the lease of an unflushed shard is left to expire.
        let leases = shards.values.filter(\.isFlushed).map(\.lease)
        // A concurrent renewal must not report them as lost.
        for lease in leases { shards[lease.shard] = nil }
        await release(leases)
        await reporting("this dispatcher could not be removed; its heartbeat will expire") {
            try await leaseStore.remove(dispatcher: holder)
        }
        shards.removeAll()
        measure()
    }

    /// Updates the gauges.
    func measure() {
        measureLeases()
        let activities = shards.values.reduce(0) { sum, followed in
            sum + followed.adventures.values.reduce(0) { $0 + $1.activities.count }
        }
        metrics.activities.set(Double(activities))
        metrics.inFlight.set(Double(inFlightCount))
        metrics.waiting.set(Double(pushQueues.values.reduce(0) { $0 + $1.count }))
    }

    /// Updates the gauge of leased shards.
    func measureLeases() {
        let now = runtime.uptime()
        metrics.leasedShards.set(Double(shards.values.count { $0.sendUntil > now }))
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
        metrics.failures.add()
        logger.error("\(failure)", metadata: ["error": "\(error)"])
    }

    func metadata(of key: ActivityKey, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["adventure": "\(key.adventureID)", "activity": "\(key.activityID)"]) { $1 }
    }
}
