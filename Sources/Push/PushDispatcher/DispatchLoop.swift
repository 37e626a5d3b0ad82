import DequeModule
import Encodings
import Foundation
import GameCore
import GameStore
import HeapModule
import Logging
import PushCadence
import RangersMetrics
import ServiceRuntime

/// The dispatcher's state and one turn of its loop.
///
/// An actor, so that a stop can be shielded from cancellation; the dispatcher's loop calls it, one call at a time, and beside
/// that a task that renews the leases.
///
/// A round renews leases, takes answers, reads the logs, decides, and writes down what was sent. The database may fail
/// in any of these: a round then stops where it is, and the next one goes on, since everything is held against
/// positions.
actor DispatchLoop {
    /// How many shards a round takes over at most, so that a node that starts alone still sends meanwhile.
    static let shardsPerRound = 32
    /// How long the loop waits for the database after it has failed.
    static let pauseAfterFailure = Duration.seconds(1)
    /// How many entries of a log one query reads.
    static let logPage = 1_000
    /// How many pages of one log a round reads, so that a long log does not keep the other shards waiting.
    static let pagesPerRound = 10
    /// What a `Retry-After` may ask for at most.
    static let longestRetryAfterSeconds = 3_600
    /// How often the wait of an activity doubles whose token APNs refuses for what may be a fault of the route: up to a
    /// quarter of an hour.
    static let mostDoublings = 5
    /// How many shards are settled side by side, over a connection each.
    static let settledAtOnce = 4
    /// How often activities are looked at for their age: it says something new minutes before it matters.
    static let ageInterval = Duration.seconds(60)

    let store: GameStore
    /// Over which leases are taken and renewed, whatever the other waits for.
    let leaseStore: GameStore
    let settings: DispatcherSettings
    /// The settings' policy, once for all activities.
    let policy: CadencePolicy.Shared
    let runtime: Runtime
    let wakeSignal: WakeSignal
    let holder: UUID
    let answers: AnswerBox
    let environments: Set<PushEnvironment>
    let routes: RouteBoard
    let outgoing: AsyncStream<OutgoingPush>.Continuation
    let wishes: AsyncStream<CardWish>.Continuation
    let metrics: DispatcherMetrics
    let logger: Logger

    var shards: [Shard: FollowedShard] = [:]
    var phones: [PhoneKey: FollowedPhone] = [:]
    var wakeups = Heap<Wakeup>()
    var renewals: RenewalPace
    var hasFailed = false
    var isBehind = false
    var isDraining = false
    var pushes = 0
    var underWay: [PushEnvironment: Int] = [:]
    /// Activities that wait until fewer pushes to their environment are under way, those first that came first.
    var waitingForRoom: [PushEnvironment: WaitingRoom] = [:]
    var encodedAdventures = EncodedAdventures(keeping: 1_000)
    var leasesDueAt: ContinuousClock.Instant
    var settleDueAt: ContinuousClock.Instant
    /// Those that are still to be settled of the ones that were due together.
    var unsettled: ArraySlice<Shard> = []
    /// The earliest moment for the next of them: in the future only after one could not be written.
    var settlesAgainAt: ContinuousClock.Instant
    var agesDueAt: Timestamp

    init(
        store: GameStore,
        leaseStore: GameStore,
        settings: DispatcherSettings,
        runtime: Runtime,
        wakeSignal: WakeSignal,
        holder: UUID,
        answers: AnswerBox,
        environments: Set<PushEnvironment>,
        routes: RouteBoard,
        outgoing: AsyncStream<OutgoingPush>.Continuation,
        wishes: AsyncStream<CardWish>.Continuation,
        metrics: DispatcherMetrics = DispatcherMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.leaseStore = leaseStore
        self.settings = settings
        policy = CadencePolicy.Shared(settings.policy)
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.holder = holder
        self.answers = answers
        self.environments = environments
        self.routes = routes
        self.outgoing = outgoing
        self.wishes = wishes
        self.metrics = metrics
        self.logger = logger
        renewals = RenewalPace(of: settings.leaseDuration)
        leasesDueAt = runtime.uptime()
        settleDueAt = runtime.uptime()
        settlesAgainAt = runtime.uptime()
        agesDueAt = runtime.now()
    }

    /// To all environments together.
    var underWayCount: Int { underWay.values.reduce(0, +) }

    /// How long the loop may wait for wakeSignal: until the next activity may be pushed, at most until the next poll.
    var pause: Duration {
        if hasFailed { return Self.pauseAfterFailure }
        let maySettle = !unsettled.isEmpty && runtime.uptime() >= settlesAgainAt
        if isBehind || maySettle { return .zero }
        guard let next = [wakeups.min?.at, nextCardsAt].compactMap(\.self).min() else { return settings.pollInterval }
        return max(.zero, min(settings.pollInterval, next - runtime.now()))
    }

    /// One turn of the loop; what is to be sent goes out as soon as it is decided.
    func round() async {
        hasFailed = false
        isBehind = false
        takeAnswers()
        considerThoseWaitingForRoom()
        await handOver()
        await reporting("free shards could not be taken over") {
            if runtime.uptime() >= leasesDueAt { try await takeFreeShards() }
        }
        await reporting("the heads of the logs could not be read") { try await follow() }
        decideWhatIsDue()
        wishForCards()
        considerAges()
        await settleIfDue()
    }

    /// Waits for the answers under way, writes what was sent, meanwhile too, and gives the leases back.
    func drain() async {
        let deadline = runtime.uptime() + settings.drainLimit
        isDraining = true
        hasFailed = false
        takeAnswers()
        while underWayCount > 0, runtime.uptime() < deadline {
            // One that does not come must not keep what the others said from being known.
            await settleIfDue()
            await wakeSignal.wait(atMost: settings.pollInterval, sleeping: runtime.sleep)
            takeAnswers()
        }
        if underWayCount > 0 {
            logger.warning("stopping without the answers to some pushes", metadata: ["pushes": "\(underWayCount)"])
        }
        // What has no answer is not known to be sent, but its timestamp is taken.
        for followed in shards.values { followed.unwritten.formUnion(followed.pushesUnderWay) }
        // Where it fails it may have been no more than a connection.
        if await !settleAll() { _ = await settleAll() }
        // Whoever takes over at once must know all that was sent; where that is not written down the lease runs out first.
        let leases = shards.values.filter(\.isWritten).map(\.lease)
        // A renewal that is under way is not to take them for lost.
        for lease in leases { shards[lease.shard] = nil }
        await giveBack(leases)
        await reporting("the other dispatchers could not be told of the end; they notice by themselves") {
            try await leaseStore.retire(dispatcher: holder)
        }
        shards.removeAll()
        measure()
    }

    /// What this node holds now.
    func measure() {
        measureLeases()
        let activities = shards.values.reduce(0) { sum, followed in
            sum + followed.adventures.values.reduce(0) { $0 + $1.activities.count }
        }
        metrics.activities.set(Double(activities))
        metrics.underWay.set(Double(underWayCount))
        metrics.waiting.set(Double(waitingForRoom.values.reduce(0) { $0 + $1.count }))
    }

    /// How many shards it may send for.
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
