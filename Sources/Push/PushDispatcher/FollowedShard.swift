import GameCore
import GameStore
import LiveActivityContent
import PushCadence
import PushDispatch
import PushRules

/// A shard that this node sends for: its lease, the read position of its log, and the activities that it keeps up to
/// date.
///
/// It is confined to the dispatcher's loop, like everything that it holds.
final class FollowedShard {
    /// The current lease; its epoch may have grown since the first one, but no other node held the shard in between.
    var lease: ShardLease
    /// The epoch of the first lease; outcomes of pushes since then are accepted.
    let firstEpoch: Int64
    /// The loop sends no push for the shard after this moment, unless the lease is renewed before.
    var sendUntil: ContinuousClock.Instant
    /// The number of consecutive renewals that failed.
    var renewalsFailed = 0
    /// Whether a warning was logged that the lease cannot be renewed because its row is locked.
    var hasLoggedLock = false
    /// Whether the shard is beyond this node's share: no push is sent for it any more, and its lease will be released.
    var isLeaving = false
    /// The earliest time of the next flush after one that failed.
    var nextFlushAt: ContinuousClock.Instant?
    /// The newest log position that was read.
    var readPosition: Int64
    /// The newest checkpoint that was flushed.
    var flushedCheckpoint: Int64
    var adventures: [AdventureID: FollowedAdventure] = [:]
    /// The adventures for which activities may have to be started, in the order of the log.
    var adventureStarts: [AdventureStart] = []
    /// The activities whose rows must be flushed.
    var dirtyActivities: Set<ActivityKey> = []
    /// The activities with decisions that are not flushed yet.
    var dirtyDecisions: Set<ActivityKey> = []
    /// The time of the next flush of decisions; the shards are flushed at different times.
    var decisionFlushDueAt: ContinuousClock.Instant
    /// The decision logs of activities that are no longer followed, until they are flushed.
    var departed: [ActivityKey: DecisionLog] = [:]
    /// The reports of requested pushes, until they are flushed.
    var requestedPushes: [ActivityKey: RequestedPush] = [:]

    var shard: Shard { lease.shard }

    init(lease: ShardLease, sendUntil: ContinuousClock.Instant, decisionFlushDueAt: ContinuousClock.Instant) {
        self.lease = lease
        firstEpoch = lease.epoch
        self.sendUntil = sendUntil
        self.decisionFlushDueAt = decisionFlushDueAt
        readPosition = lease.checkpoint
        flushedCheckpoint = lease.checkpoint
    }

    func activity(_ key: ActivityKey) -> FollowedActivity? {
        adventures[key.adventureID]?.activities[key.activityID]
    }

    /// Whether a push of the shard is in flight.
    var hasPushesInFlight: Bool {
        adventures.values.contains { $0.activities.values.contains { $0.inFlight != nil } }
    }

    /// The activities with a push in flight.
    var pushesInFlight: [ActivityKey] {
        adventures.values.flatMap { $0.activities.values.filter { $0.inFlight != nil }.map(\.key) }
    }

    /// Whether the shard may be flushed now; false during the pause after a failed flush.
    func mayFlush(at now: ContinuousClock.Instant) -> Bool { nextFlushAt.map { $0 <= now } ?? true }

    /// Whether everything that was sent is flushed.
    var isFlushed: Bool { dirtyActivities.isEmpty && checkpoint == flushedCheckpoint }

    func remove(_ key: ActivityKey) {
        guard let adventure = adventures[key.adventureID] else { return }
        adventure.activities[key.activityID] = nil
        if adventure.activities.isEmpty { adventures[key.adventureID] = nil }
    }

    /// Stops following an activity, and keeps its decision log until that is flushed.
    func stopFollowing(_ key: ActivityKey, _ decisions: DecisionLog) {
        departed[key] = decisions
        // The adventure stays until the page of the log is processed, which may register another activity of it.
        adventures[key.adventureID]?.activities[key.activityID] = nil
    }

    /// The log position up to which nothing is pending for any activity of the shard.
    var checkpoint: Int64 {
        // Activities that may still be started count as pending, too.
        var lowest = adventureStarts.first.map { min(readPosition, $0.position - 1) } ?? readPosition
        for adventure in adventures.values {
            for activity in adventure.activities.values {
                if let pendingPosition = activity.cadence.firstPendingPosition {
                    lowest = min(lowest, pendingPosition - 1)
                }
            }
        }
        return max(lowest, flushedCheckpoint)
    }
}

/// An adventure with the activities that show it.
final class FollowedAdventure {
    private(set) var stored: StoredAdventure
    /// The last event that is a headline.
    private(set) var headline: AdventureEvent
    /// The log position up to which the state includes all events.
    private(set) var statePosition: Int64
    var activities: [ActivityID: FollowedActivity] = [:]
    var eventTimes = EventTimes()
    /// The newest state in encoded form, by notice.
    private var encoded: [ActivityNotice?: EncodedContentState] = [:]

    init(_ stored: StoredAdventure, headline: AdventureEvent, statePosition: Int64) {
        self.stored = stored
        self.headline = headline
        self.statePosition = statePosition
    }

    /// Updates the state, which was read after the log up to `position`.
    func update(_ stored: StoredAdventure, headline: AdventureEvent?, statePosition position: Int64) {
        self.stored = stored
        if let headline { self.headline = headline }
        statePosition = position
        encoded = [:]
    }

    /// Whether the newest state is kept in encoded form for some notice.
    var isEncoded: Bool { !encoded.isEmpty }

    /// Frees the encoded state; it is encoded again when it is needed.
    func forgetEncoded() { encoded = [:] }

    /// Returns the newest state as JSON for the hero at a seat; it is encoded once for all heroes.
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

/// The adventures whose encoded state is kept: those that were sent last, since further pushes of them may follow soon.
struct EncodedAdventures {
    private var latest: [FollowedAdventure?]
    private var next = 0

    /// Creates an empty cache.
    /// - Parameter count: the number of adventures kept.
    init(keeping count: Int) {
        latest = Array(repeating: nil, count: count)
    }

    /// Adds an adventure that is about to be encoded; the encoded state of the oldest one is freed.
    mutating func add(_ adventure: FollowedAdventure) {
        latest[next]?.forgetEncoded()
        latest[next] = adventure
        next = (next + 1) % latest.count
    }
}
