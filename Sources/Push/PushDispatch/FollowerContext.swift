package import Encodings
package import GameCore
import GameLog
package import PushCadence

/// What the followers of one node share: the clock of the current step, the budgets of devices, the limits of what is
/// in flight, and the effects that the driver has still to perform.
///
/// The driver sets the clock, passes the context to a follower with each input, and performs the effects afterwards.
package struct FollowerContext {
    /// The numbers and rules that a follower needs.
    package struct Settings: Sendable {
        /// The policy of the cadence, shared by all activities.
        package var policy: CadencePolicy.Shared
        /// The APNs environments that the node sends to; activities of others are not followed.
        package var environments: Set<PushEnvironment>
        /// The maximum number of pushes in flight to one environment.
        package var maxInFlight: Int
        /// The delay before the retry of a push whose failure only an operator can fix, with a jitter of half of it.
        package var openBreakerDelay: Duration
        /// The time after which an activity is evaluated again while the node may send nothing.
        package var leaseRetryDelay: Duration
        /// The time after which the answer to a push is overdue: longer than the client may take for it.
        package var answerLimit: Duration

        /// Creates settings.
        package init(
            policy: CadencePolicy.Shared,
            environments: Set<PushEnvironment>,
            maxInFlight: Int,
            openBreakerDelay: Duration,
            leaseRetryDelay: Duration,
            answerLimit: Duration
        ) {
            self.policy = policy
            self.environments = environments
            self.maxInFlight = maxInFlight
            self.openBreakerDelay = openBreakerDelay
            self.leaseRetryDelay = leaseRetryDelay
            self.answerLimit = answerLimit
        }
    }

    package let settings: Settings
    /// The database's clock at this step, as the node knows it.
    package var now: Timestamp
    /// The node's monotonic clock at this step.
    package var uptime: ContinuousClock.Instant
    /// The node sends nothing from this moment on, unless it renews its presence before: it may lose its leases then.
    package var sendUntil: ContinuousClock.Instant
    /// Whether the node stops, so that nothing new is sent.
    package var isDraining = false
    /// The circuit breakers that are not closed, as of this step.
    package var breakers: [PushEnvironment: CircuitBreaker] = [:]
    /// What the driver has still to do, in order.
    package var effects: [FollowerEffect] = []
    /// The decisions that the driver has still to count.
    package var decisions: [DecisionKind] = []
    /// The number of pushes ordered so far.
    package private(set) var pushes = 0
    /// The devices with live activities, and others whose budget is not full.
    var devices: [DeviceKey: FollowedDevice] = [:]
    var encodedAdventures = EncodedAdventures(keeping: 1_000)
    private var inFlight = PushesInFlight()
    /// The activities that wait because the maximum number of pushes to their environment is in flight.
    private var queues = EnvironmentTable(PushQueue())
    /// The earliest time of the next push to a suspect token of each environment; nil if it may be sent at once.
    private var nextSuspectPushes = EnvironmentTable(ContinuousClock.Instant?.none)
    private let uniformBits: @Sendable () -> UInt64

    /// The minimum time between two pushes of a node to suspect tokens of an environment, whatever the number of these:
    /// any player can register invalid tokens.
    static let suspectPushInterval = Duration.seconds(1)

    /// Creates the context of a node that has sent nothing yet, and may not send yet.
    /// - Parameters:
    ///   - settings: the settings.
    ///   - now: the database's clock, as the node knows it.
    ///   - uptime: the node's monotonic clock.
    ///   - randomBits: returns uniform random bits, from which jitter is derived.
    package init(
        _ settings: Settings,
        now: Timestamp,
        uptime: ContinuousClock.Instant,
        randomBits: @escaping @Sendable () -> UInt64
    ) {
        self.settings = settings
        self.now = now
        self.uptime = uptime
        sendUntil = uptime
        uniformBits = randomBits
    }

    /// The number of pushes in flight to all environments.
    package var inFlightCount: Int { inFlight.counts.values.reduce(0, +) }
    /// The number of activities that wait because too many pushes are in flight.
    package var waitingCount: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// Returns and removes the effects.
    /// - Parameter spare: an empty array, whose space the next effects use.
    /// - Returns: the effects.
    package mutating func takeEffects(leaving spare: consuming [FollowerEffect] = []) -> [FollowerEffect] {
        swap(&spare, &effects)
        return spare
    }

    /// Removes and returns the next activity that may be evaluated because fewer pushes are in flight.
    package mutating func popQueued(to environment: PushEnvironment) -> (Shard, ActivityKey)? {
        hasCapacity(in: environment) ? queues[environment].popFirst() : nil
    }

    /// Whether an activity waits that may be evaluated now.
    package var hasQueued: Bool {
        PushEnvironment.allCases.contains { !queues[$0].isEmpty && hasCapacity(in: $0) }
    }

    /// Notes that a push is not in flight any more, whatever became of it.
    package mutating func landed(_ order: PushOrder) { inFlight.remove(order.number, to: order.environment) }

    /// Counts the pushes as landed whose answers are overdue.
    ///
    /// All followers must then take them as unanswered, with ``ShardFollower/answersOverdue(below:_:)``.
    /// - Returns: the number below which the answers to all pushes in flight are overdue, and how many there are; nil if
    ///   there are none.
    package mutating func takeOverdue(at uptime: ContinuousClock.Instant) -> (numbersBelow: Int, count: Int)? {
        inFlight.removeOverdue(orderedBefore: uptime - settings.answerLimit, next: pushes + 1)
    }

    /// Spends the budget of a device for the start of an activity by push, which is sent beside the followers.
    /// - Parameters:
    ///   - deviceID: the device.
    ///   - playerID: its player.
    ///   - isFrequent: whether it takes frequent pushes, as far as it is not known from an activity.
    package mutating func spendStart(on deviceID: DeviceID, of playerID: PlayerID, isFrequent: Bool) {
        let pace = settings.policy.policy.pace(frequentPushesEnabled: isFrequent)
        // Any activity knows the pace better.
        let device = device(DeviceKey(playerID, deviceID), pace: pace, registeredAt: Timestamp(epochSeconds: 0))
        device.budget.spendStart(at: now)
    }

    /// Removes the devices without activities whose budget is full.
    package mutating func removeIdleDevices() {
        // In place: copying a dictionary of several megabytes every minute fragments the heap, and memory grows.
        for key in devices.filter({ $1.activityCount == 0 && $1.budget.isFull(at: now) }).keys { devices[key] = nil }
    }

    // MARK: - For followers

    func randomBits() -> UInt64 { uniformBits() }

    /// Returns the delay before the next try while only an operator can fix the cause.
    func openBreakerDelay() -> Duration {
        let fraction = Double(randomBits() >> 11) / Double(1 << 53)
        return settings.openBreakerDelay * (0.5 + fraction)
    }

    /// Whether one more push to an environment may be in flight.
    func hasCapacity(in environment: PushEnvironment) -> Bool {
        inFlight.counts[environment] < settings.maxInFlight
    }

    /// Whether no activity waits for pushes to an environment to land.
    func isQueueEmpty(of environment: PushEnvironment) -> Bool { queues[environment].isEmpty }

    /// Enqueues an activity.
    /// - Returns: whether it was not waiting before.
    mutating func enqueue(_ activity: FollowedActivity, of shard: Shard) -> Bool {
        queues[activity.activity.environment].add(activity, of: shard)
    }

    /// Removes an activity from the queue of its environment, if it waits.
    mutating func dequeue(_ activity: FollowedActivity) {
        queues[activity.activity.environment].remove(activity)
    }

    /// Counts a push to an environment as in flight, and returns its number.
    mutating func take(in environment: PushEnvironment, for reputation: CircuitBreaker.TokenReputation) -> Int {
        // The result was checked before; while the breaker is open, this push is its probe.
        _ = breakers[environment]?.tryAcquire(reputation, at: uptime)
        pushes += 1
        inFlight.add(pushes, to: environment, at: uptime)
        return pushes
    }

    /// Reserves the next push to a suspect token of an environment.
    /// - Returns: the time of the push.
    mutating func reserveSuspectPush(in environment: PushEnvironment) -> ContinuousClock.Instant {
        let reserved = max(uptime, nextSuspectPushes[environment] ?? uptime)
        nextSuspectPushes[environment] = reserved + Self.suspectPushInterval
        return reserved
    }

    /// Returns the device of an activity, with the budget as far as this node and the row know it.
    mutating func device(of activity: Activity) -> FollowedDevice {
        let pace = settings.policy.policy.pace(frequentPushesEnabled: activity.frequentPushesEnabled)
        let device = device(DeviceKey(activity), pace: pace, registeredAt: activity.registeredAt)
        device.follow(pace, registeredAt: activity.registeredAt, at: now)
        device.budget.merge(fullAt: activity.budgetFullAt, at: now)
        return device
    }

    private mutating func device(
        _ key: DeviceKey,
        pace: CadencePolicy.Pace,
        registeredAt moment: Timestamp
    ) -> FollowedDevice {
        if let known = devices[key] { return known }
        let device = FollowedDevice(pace, registeredAt: moment)
        devices[key] = device
        return device
    }
}

/// Something that a follower asks its driver to do.
package enum FollowerEffect: Sendable {
    /// Send a push, and report the answer to it.
    case send(PushOrder)
    /// Start activities of an adventure by push.
    case start(StartRequest)
    /// Look whether a player who has joined an adventure has a device with an alert token.
    case findAlertDevices(AdventureID, PlayerID)
    /// Send ordinary alerts to devices that do not show an adventure.
    case alert(FallbackRequest)
    /// Log what a cadence has dropped.
    case dropped(Drop, ActivityKey)
    /// Count a token that is dead.
    case tokenForgotten
    /// Note that APNs has accepted a push to some token of an environment.
    case tokenProven(PushEnvironment)
    /// Log that an adventure cannot be played and is not shown.
    case unplayable(any Error)
    /// Log that an activity is of an environment that the node does not send to.
    case notServed(ActivityKey, PushEnvironment)
    /// Log that a push could not be built.
    case notBuilt(ActivityKey, any Error)
}
