import GameCore
public import PushCadence
public import PushDispatch

/// The settings of a dispatcher.
public struct DispatcherSettings: Sendable {
    /// The duration of the node's presence, and so of its leases, without renewal: after a crash of the node, its phones
    /// get no pushes for this time, and until another node has acquired and loaded the shards.
    ///
    /// It is renewed after three tenths of it. Nothing is sent in its last fifth.
    public var leaseDuration: Duration
    /// The interval between reads of the logs; an engine in the same process wakes the dispatcher earlier.
    public var pollInterval: Duration
    /// The interval between flushes of what matters after a crash, such as alerts and ends: of these, at most the pushes
    /// of this interval are repeated.
    public var flushInterval: Duration
    /// The interval between flushes of a shard's plain states and decision logs.
    ///
    /// After a crash the newest state is repeated once, and nothing depends on decision logs, so the interval is long
    /// enough to cost little and short enough for operators. The dispatcher flushes everything when it stops.
    public var lazyFlushInterval: Duration
    /// The time that a stop waits for pushes in flight and for activities that are being started: slightly longer than
    /// the request timeout.
    ///
    /// A push without an outcome counts as unanswered after twice this time.
    public var drainLimit: Duration
    /// The delay before the retry of a push whose failure only an operator can fix, with a jitter of half the delay.
    public var openBreakerDelay: Duration
    /// The maximum number of pushes in flight to one APNs environment: enough for a few connections.
    ///
    /// Pushes that wait for a stream count too. Further activities wait; their pushes then show the newest state.
    public var maxInFlight: Int
    /// The limits of the circuit breakers.
    public var breakerLimits: CircuitBreaker.Limits
    /// The policy of the cadence.
    public var policy: CadencePolicy
    /// The bundle identifier of the app, from which the topic is derived.
    public var bundleID: String
    /// The number of shards that the dispatchers share: all of them, except in simulations.
    package var shardCount = Shard.all.count

    /// Creates settings with documented defaults.
    public init(
        leaseDuration: Duration = .seconds(1),
        pollInterval: Duration = .milliseconds(100),
        flushInterval: Duration = .seconds(1),
        lazyFlushInterval: Duration = .seconds(10),
        drainLimit: Duration = .seconds(11),
        openBreakerDelay: Duration = .seconds(30),
        maxInFlight: Int = 4_000,
        breakerLimits: CircuitBreaker.Limits = CircuitBreaker.Limits(),
        policy: CadencePolicy,
        bundleID: String
    ) {
        self.leaseDuration = leaseDuration
        self.pollInterval = pollInterval
        self.flushInterval = flushInterval
        self.lazyFlushInterval = lazyFlushInterval
        self.drainLimit = drainLimit
        self.openBreakerDelay = openBreakerDelay
        self.maxInFlight = maxInFlight
        self.breakerLimits = breakerLimits
        self.policy = policy
        self.bundleID = bundleID
    }

    /// The time after which the answer to a push is overdue.
    var answerLimit: Duration { drainLimit * 2 }

    /// `apns-topic` of every push to a Live Activity.
    ///
    /// It has the bundle identifier of the app, not that of the widget extension (Apple, "Starting and updating Live
    /// Activities with ActivityKit push notifications").
    public var topic: String { bundleID + ".push-type.liveactivity" }

    /// `apns-topic` of every push to widgets.
    public var widgetTopic: String { bundleID + ".push-type.widgets" }
}
