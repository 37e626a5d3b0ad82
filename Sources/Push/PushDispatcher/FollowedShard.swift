import APNsClient
import Encodings
import GameCore
import GameStore
import HeapModule
import LiveActivityContent
import PushCadence
import PushDispatch
import PushRules

/// A shard that this node sends for: its lease, how far its log was read, and the activities to keep up to date.
///
/// Confined to the dispatcher's loop, like everything it holds.
final class FollowedShard {
    /// Of one epoch after the other, as long as nobody else had the shard in between.
    var lease: ShardLease
    /// The epoch of the first of them: answers to pushes since then change what is followed.
    let firstEpoch: Int64
    /// The loop sends nothing for the shard after this moment, unless the lease is renewed before.
    var sendUntil: ContinuousClock.Instant
    /// How many renewals have failed since the last one that did not.
    var renewalsFailed = 0
    /// Whether an operator knows that its lease cannot be renewed.
    var isKnownLocked = false
    /// Whether it is another node's share: nothing more is sent for it, and its lease is given back.
    var isLeaving = false
    /// When what was sent is written next at the earliest, where that has failed.
    var settlesAgainAt: ContinuousClock.Instant?
    /// The newest position of the log that was read.
    var tail: Int64
    /// The newest checkpoint that was written.
    var writtenCheckpoint: Int64
    var adventures: [AdventureID: FollowedAdventure] = [:]
    /// The beginnings of adventures for which cards may have to be started, in the order of the log.
    var beginnings: [Beginning] = []
    /// Activities whose rows are to be written.
    var unwritten: Set<ActivityKey> = []
    /// Activities for which something was decided that is not written yet.
    var undocumented: Set<ActivityKey> = []
    /// When what was decided is written next; the shards take turns.
    var documentDueAt: ContinuousClock.Instant
    /// What was decided for activities that are followed no more, until it is written.
    var partings: [ActivityKey: DecisionLog] = [:]
    /// What came of pushes that operators asked for, until it is written.
    var requestedPushes: [ActivityKey: RequestedPush] = [:]

    var shard: Shard { lease.shard }

    init(lease: ShardLease, sendUntil: ContinuousClock.Instant, documentDueAt: ContinuousClock.Instant) {
        self.lease = lease
        firstEpoch = lease.epoch
        self.sendUntil = sendUntil
        self.documentDueAt = documentDueAt
        tail = lease.checkpoint
        writtenCheckpoint = lease.checkpoint
    }

    func activity(_ key: ActivityKey) -> FollowedActivity? {
        adventures[key.adventureID]?.activities[key.activityID]
    }

    /// Whether an answer is awaited that would change what is written down.
    var hasPushesUnderWay: Bool {
        adventures.values.contains { $0.activities.values.contains { $0.underWay != nil } }
    }

    /// The activities for which an answer is awaited.
    var pushesUnderWay: [ActivityKey] {
        adventures.values.flatMap { $0.activities.values.filter { $0.underWay != nil }.map(\.key) }
    }

    /// Whether it may be written down now, or waits since that has failed.
    func maySettle(at now: ContinuousClock.Instant) -> Bool { settlesAgainAt.map { $0 <= now } ?? true }

    /// Whether all that was sent is written down.
    var isWritten: Bool { unwritten.isEmpty && checkpoint == writtenCheckpoint }

    func remove(_ key: ActivityKey) {
        guard let adventure = adventures[key.adventureID] else { return }
        adventure.activities[key.activityID] = nil
        if adventure.activities.isEmpty { adventures[key.adventureID] = nil }
    }

    /// Lets go of an activity for good, and keeps what was decided for it until that is written.
    func part(from key: ActivityKey, _ decisions: DecisionLog) {
        partings[key] = decisions
        // The adventure stays until its page of the log is read: another card of it may be registered there.
        adventures[key.adventureID]?.activities[key.activityID] = nil
    }

    /// The position at or below which nothing is owed to any phone of the shard.
    var checkpoint: Int64 {
        // A card that is still to be asked for is owed, too.
        var lowest = beginnings.first.map { min(tail, $0.position - 1) } ?? tail
        for adventure in adventures.values {
            for activity in adventure.activities.values {
                if let pendingSince = activity.cadence.pendingSince { lowest = min(lowest, pendingSince - 1) }
            }
        }
        return max(lowest, writtenCheckpoint)
    }
}

/// One adventure with the activities that show it.
final class FollowedAdventure {
    private(set) var stored: StoredAdventure
    /// What the cards tell as the last thing that happened.
    private(set) var headline: Event
    /// The state holds everything up to this position of the log.
    private(set) var through: Int64
    var activities: [ActivityID: FollowedActivity] = [:]
    var eventTimes = EventTimes()
    /// The newest state, by what the card says of itself.
    private var encoded: [ActivityNotice?: EncodedContentState] = [:]

    init(_ stored: StoredAdventure, headline: Event, through: Int64) {
        self.stored = stored
        self.headline = headline
        self.through = through
    }

    /// Takes the newest state, read after the log was read up to `position`.
    func update(_ stored: StoredAdventure, headline: Event?, through position: Int64) {
        self.stored = stored
        if let headline { self.headline = headline }
        through = position
        encoded = [:]
    }

    /// Whether ``contentState(for:notice:)`` need not encode anything, if it was asked for the same notice before.
    var isEncoded: Bool { !encoded.isEmpty }

    /// Gives the room back that the encoded state takes; it is encoded again when it is needed.
    func forgetEncoded() { encoded = [:] }

    /// The newest state as JSON for one of its heroes; encoded once for all of them.
    func contentState(for seat: Seat, notice: ActivityNotice?) -> [UInt8] {
        let content =
            encoded[notice]
            ?? EncodedContentState(
                AdventureAttributes.ContentState(
                    of: stored.adventure,
                    lastEvent: headline,
                    turnEnds: stored.turnDueAt,
                    notice: notice
                )
            )
        encoded[notice] = content
        return content.bytes(currentHealthLevel: stored.adventure.heroes[seat.rawValue].shownHealthLevel)
    }
}

/// The adventures whose newest state is kept encoded: the last ones that were sent, of which others may follow soon.
struct EncodedAdventures {
    private var latest: [FollowedAdventure?]
    private var next = 0

    /// - Parameter count: how many are kept.
    init(keeping count: Int) {
        latest = Array(repeating: nil, count: count)
    }

    /// One is about to be encoded: the one that was longest ago is forgotten.
    mutating func add(_ adventure: FollowedAdventure) {
        latest[next]?.forgetEncoded()
        latest[next] = adventure
        next = (next + 1) % latest.count
    }
}

/// Names an activity within its shard.
struct ActivityKey: Hashable, Sendable {
    let adventureID: AdventureID
    let activityID: ActivityID
}

/// Names a phone, as far as the server can tell: a player, and what the app said of its pushes.
struct PhoneKey: Hashable {
    private let playerID: PlayerID
    private let environment: PushEnvironment
    private let frequentPushesEnabled: Bool

    init(_ activity: Activity) {
        playerID = activity.playerID
        environment = activity.environment
        frequentPushesEnabled = activity.frequentPushesEnabled
    }
}

/// A phone with what its cards have left of its budget: the adventures of several parties may be on it.
///
/// It outlives its cards until the budget is full again, so that the next card does not spend it anew.
final class FollowedPhone {
    var budget: PhoneBudget
    fileprivate(set) var cards = 0

    init(budget: PhoneBudget) {
        self.budget = budget
    }
}

/// One activity with its cadence.
final class FollowedActivity {
    var key: ActivityKey { ActivityKey(adventureID: activity.adventureID, activityID: activity.id) }
    let seat: Seat
    let phone: FollowedPhone
    var activity: Activity
    var cadence: ActivityCadence
    var backoff = RetryBackoff()
    /// `timestamp` of the newest push, in seconds since 1970; zero before the first.
    var lastTimestamp: Int64
    /// The number of the push whose answer it waits for.
    var underWay: Int?
    /// Its place where it waits until fewer pushes are under way.
    var waitsForRoom: WaitingRoom.Ticket?
    /// When the loop looks at it again; entries of the heap that say otherwise are out of date.
    var wakeAt: Timestamp?
    /// Whether a 410 older than the token's registration was excused: it is once.
    var hasBeenExcused = false
    /// Whether APNs has taken a push to its token from this node.
    var isProven = false
    /// How often in a row its token was refused, and that was not believed.
    var doubts = 0
    /// Whether a newer card was asked for, since this one ends soon.
    var hasWishedForNewer = false
    /// Whether its row is to be closed as `dead` or `ended`.
    var fate = Activity.State.live
    /// When its token was found dead.
    var diedAt: Timestamp?
    /// The position of the log at which an operator asked for a push, until that has its answer.
    var askedAt: Int64?
    /// What was decided for it, for whoever asks.
    var decisions: DecisionLog

    init(
        _ activity: Activity,
        seat: Seat,
        on phone: FollowedPhone,
        cadence: ActivityCadence,
        decisions: DecisionLog
    ) {
        self.activity = activity
        self.seat = seat
        self.phone = phone
        phone.cards += 1
        self.cadence = cadence
        self.decisions = decisions
        lastTimestamp = activity.lastTimestamp
    }

    deinit { phone.cards -= 1 }

    /// What its token's refusal would say of the way to APNs.
    var standing: CircuitBreaker.TokenReputation { isProven ? .proven : doubts > 0 ? .suspect : .unknown }
}

/// An entry of the heap: an activity may be pushed at a moment.
struct Wakeup: Comparable {
    let at: Timestamp
    let shard: Shard
    let activity: FollowedActivity

    static func < (left: Self, right: Self) -> Bool { left.at < right.at }
    static func == (left: Self, right: Self) -> Bool { left.at == right.at }
}
