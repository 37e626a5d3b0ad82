import Encodings
package import GameCore
import GameLog
import PushCadence

/// An activity with its cadence.
final class FollowedActivity {
    var key: ActivityKey { ActivityKey(adventureID: activity.adventureID, activityID: activity.id) }
    /// The adventure that it shows; valid while the activity is followed.
    unowned let adventure: FollowedAdventure
    let seat: Seat
    let device: FollowedDevice
    var activity: Activity
    var cadence: ActivityCadence
    var backoff = RetryBackoff()
    /// `timestamp` of the newest push, in seconds since 1970; zero before the first.
    var lastTimestamp: Int64
    /// The push in flight; nil if there is none.
    var inFlight: PushOrder?
    /// Whether the follower of its shard has it; otherwise only lists have it that are out of date.
    var isFollowed = true
    /// What it waits for to be flushed.
    var dirtyMarks: DirtyActivities.Marks = []
    /// Whether the follower lists it among those for which something may be pending.
    var isListedAsPending = false
    /// Its position in the push queue; nil if it does not wait.
    var queueTicket: PushQueue.Ticket?
    /// The time at which it is evaluated again; heap entries with another time are out of date.
    var wakeAt: Timestamp?
    /// Whether a 410 older than the registration of the token is not excused any more: that happens once, and not after
    /// a push by an earlier holder of the lease, who may have excused one.
    var hasExcusedRejection: Bool
    /// Whether APNs has accepted a push to its token.
    var isTokenProven = false
    /// The number of consecutive doubtful rejections of its token.
    var doubtfulRejections = 0
    /// The time that is reserved for its next push, while its token is suspect.
    var reservedAt: ContinuousClock.Instant?
    /// Whether it is scheduled and had not started when it was evaluated last, so that its pending state is not late.
    var isAwaitingStart = false
    /// Whether a newer activity was requested, since this one ends soon.
    var hasRequestedSuccessor = false
    /// The moment of the newest registration that was observed.
    var observedRegistrationAt = Timestamp(epochSeconds: 0)
    /// Whether nothing is sent to its token any more, since the token was dead, or the activity ended, before the
    /// database lost the commit of that.
    var isClosed = false
    /// The state of its row at the next flush: `dead` or `ended` closes it.
    var terminalState = Activity.State.live
    /// The time at which APNs reported its token as dead.
    var tokenDiedAt: Timestamp?
    /// The newest token that APNs reported as dead.
    var deadToken: [UInt8]?
    /// Whether its row has the death of its token.
    var isDeathFlushed = false
    /// The log position of an operator's request for a push, until that push has completed.
    var requestPosition: Int64?
    /// Its decision log.
    var decisions: DecisionLog
    /// The traces of the requests whose effects it does not show yet.
    var pendingTraces = PendingTraces()

    init(
        _ activity: Activity,
        in adventure: FollowedAdventure,
        seat: Seat,
        on device: FollowedDevice,
        cadence: ActivityCadence,
        decisions: DecisionLog
    ) {
        self.activity = activity
        self.adventure = adventure
        self.seat = seat
        self.device = device
        device.activityCount += 1
        self.cadence = cadence
        self.decisions = decisions
        lastTimestamp = activity.lastTimestamp
        hasExcusedRejection = activity.lastTimestamp >= activity.tokenRegisteredAt.epochSeconds
    }

    deinit { device.activityCount -= 1 }

    /// Keeps the trace of a log entry until a push has shown the entry.
    func keepTrace(of entry: LogEntry) {
        guard let trace = entry.trace, entry.at > activity.acknowledgedAt else { return }
        pendingTraces.add(trace, at: entry.at)
    }

    /// The reputation of its token, for the circuit breaker.
    var reputation: CircuitBreaker.TokenReputation {
        isTokenProven ? .proven : doubtfulRejections > 0 ? .suspect : .unknown
    }
}

/// Identifies an activity within its shard.
package struct ActivityKey: Hashable, Sendable {
    package let adventureID: AdventureID
    package let activityID: ActivityID

    /// Creates a key.
    package init(adventureID: AdventureID, activityID: ActivityID) {
        self.adventureID = adventureID
        self.activityID = activityID
    }
}

/// A device with the budget that its activities share; they may show adventures of several parties.
///
/// Its pace is that of the activity that was registered last, whatever the settings of the others: the setting of the
/// device has changed in between, and it has one budget all the time.
///
/// It is kept after its last activity until the budget is full again, so that the next activity does not get a new
/// budget.
final class FollowedDevice {
    var budget: DeviceBudget
    private(set) var pace: CadencePolicy.Pace
    /// The registration of the activity that has decided the pace.
    private var paceRegisteredAt: Timestamp
    fileprivate(set) var activityCount = 0

    /// Creates a device with a full budget.
    /// - Parameters:
    ///   - pace: the pace.
    ///   - moment: the registration of the activity that decides the pace.
    init(_ pace: CadencePolicy.Pace, registeredAt moment: Timestamp) {
        self.pace = pace
        paceRegisteredAt = moment
        budget = DeviceBudget(pace)
    }

    /// Takes over the pace of an activity, unless a newer one has decided it.
    func follow(_ pace: CadencePolicy.Pace, registeredAt moment: Timestamp, at now: Timestamp) {
        guard moment >= paceRegisteredAt else { return }
        paceRegisteredAt = moment
        guard pace != self.pace else { return }
        self.pace = pace
        budget.change(to: pace, at: now)
    }
}

/// Identifies a device: its identifier is unique among those of its player.
struct DeviceKey: Hashable {
    private let playerID: PlayerID
    private let deviceID: DeviceID

    init(_ activity: Activity) { self.init(activity.playerID, activity.deviceID) }

    init(_ playerID: PlayerID, _ deviceID: DeviceID) {
        self.playerID = playerID
        self.deviceID = deviceID
    }
}
