public import APNsClient
import GameCore
public import PushCadence

/// How a dispatcher works; the numbers of the cadence are in its policy.
public struct DispatcherSettings: Sendable {
    /// How long a lease lasts without renewal: what a crash of its node costs the phones of a shard at most.
    public var leaseDuration: Duration
    /// How long the dispatcher waits before it looks at the log again, unless an engine in the same process rings.
    public var pollInterval: Duration
    /// How often it writes what was sent: after a crash at most the pushes of this interval repeat.
    public var settleInterval: Duration
    /// How often it writes what was decided for an activity, and why: nothing depends on that, and it is some hundred
    /// bytes to a kilobyte each time, so it comes seldom enough to cost little, and soon enough for who asks.
    ///
    /// It is written at once when an activity is followed no more, and when the dispatcher stops.
    public var documentInterval: Duration
    /// How long a stop waits for the answers to pushes under way, and for cards that are being started: a little longer
    /// than a request may take.
    public var drainLimit: Duration
    /// How long an activity waits, give or take a half, when only an operator can mend what is wrong.
    public var pauseAfterStop: Duration
    /// How many pushes to one environment of APNs are under way at most, a few connections' worth.
    ///
    /// Those that wait for a stream are among them. Further activities wait, and are told the state as it is then.
    public var mostUnderWay: Int
    /// When a route to APNs counts as broken, and how often it is tried then.
    public var routeLimits: CircuitBreaker.Limits
    /// When, and at which priority, an activity may be pushed.
    public var policy: CadencePolicy
    /// The app's bundle identifier; the topic of every push derives from it.
    public var bundleID: String
    /// How many shards dispatchers share: all of them, but in simulations of a few.
    package var shardCount = Shard.all.count

    /// The settings of a dispatcher, with documented defaults.
    public init(
        leaseDuration: Duration = .seconds(5),
        pollInterval: Duration = .milliseconds(100),
        settleInterval: Duration = .seconds(1),
        documentInterval: Duration = .seconds(10),
        drainLimit: Duration = .seconds(11),
        pauseAfterStop: Duration = .seconds(30),
        mostUnderWay: Int = 4_000,
        routeLimits: CircuitBreaker.Limits = CircuitBreaker.Limits(),
        policy: CadencePolicy,
        bundleID: String
    ) {
        self.leaseDuration = leaseDuration
        self.pollInterval = pollInterval
        self.settleInterval = settleInterval
        self.documentInterval = documentInterval
        self.drainLimit = drainLimit
        self.pauseAfterStop = pauseAfterStop
        self.mostUnderWay = mostUnderWay
        self.routeLimits = routeLimits
        self.policy = policy
        self.bundleID = bundleID
    }

    /// `apns-topic` of every push to a Live Activity (Apple, "Starting and updating Live Activities with ActivityKit
    /// push notifications"): the app's bundle identifier, not the widget extension's.
    var topic: String { bundleID + ".push-type.liveactivity" }
}
