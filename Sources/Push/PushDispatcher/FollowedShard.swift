import Encodings
import GameCore
import GameStore
import HeapModule
import PushCadence
import PushDispatch

/// A shard that this node sends for: its lease, the read position of its log, the timelines of its adventures, and the
/// activities that it keeps up to date.
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
    /// Whether the shard is beyond this node's share, or needs a newer version: no push is sent for it any more, and its
    /// lease will be released.
    var isLeaving = false
    /// The earliest time of the next flush after one that failed.
    var nextFlushAt: ContinuousClock.Instant?

    /// The row of the shard when it was loaded.
    let loaded: ShardHead
    /// Whether the shard is being loaded anew, since the database lost commits.
    var isReplacement: Bool
    /// The newest log position that was read.
    private(set) var readPosition: Int64
    /// The digest of the log up to there; nil before the head at which the shard was loaded.
    private(set) var digest: LogDigest?
    /// The moment up to which the timelines are played.
    private(set) var clock: Timestamp
    /// Whether everything up to the clock is observed.
    ///
    /// Otherwise no push is decided: it might show half of a moment.
    var isCaughtUp = false
    /// The adventures with changes that are observed and not evaluated yet.
    var touchedAdventures: Set<AdventureID> = []
    private(set) var adventures: [AdventureID: FollowedAdventure] = [:]
    /// The adventures that cannot be played, until an operator ends them.
    var unplayableAdventures: Set<AdventureID> = []
    /// The next tick of each adventure; entries that differ from ``FollowedAdventure/scheduledTickAt`` are out of date.
    private var ticks = Heap<ScheduledTick>()

    /// The newest checkpoint that was flushed.
    var flushedCheckpoint: Int64
    /// The beginning of the oldest pending change that was flushed.
    var flushedPendingSince: Timestamp?
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

    /// Creates a shard whose log is read from the checkpoint of its lease on.
    init(
        lease: ShardLease,
        at head: ShardHead,
        sendUntil: ContinuousClock.Instant,
        decisionFlushDueAt: ContinuousClock.Instant
    ) {
        self.lease = lease
        firstEpoch = lease.epoch
        self.sendUntil = sendUntil
        self.decisionFlushDueAt = decisionFlushDueAt
        loaded = head
        isReplacement = false
        clock = head.clock
        flushedCheckpoint = lease.checkpoint
        // A checkpoint beyond the head belongs to another log.
        readPosition = min(lease.checkpoint, head.head)
        if readPosition == head.head { digest = head.digest }
    }

    /// Creates the shard anew, since its log or its clock is not the one that `other` has read.
    init(replacing other: FollowedShard, at head: ShardHead) {
        lease = other.lease
        firstEpoch = other.firstEpoch
        sendUntil = other.sendUntil
        decisionFlushDueAt = other.decisionFlushDueAt
        loaded = head
        isReplacement = true
        clock = head.clock
        flushedCheckpoint = other.flushedCheckpoint
        readPosition = min(other.flushedCheckpoint, head.head)
        if readPosition == head.head { digest = head.digest }
    }

    // MARK: - The log and the clock

    /// Whether the row of the shard does not continue the log and the clock as far as they were read.
    func isForked(from head: ShardHead) -> Bool {
        if head.clock < clock || head.head < max(readPosition, loaded.head) { return true }
        return head.head == readPosition && digest.map { $0 != head.digest } ?? false
    }

    /// The position up to which the next page is read: up to the head at which the shard was loaded, the digest of the
    /// log is not known.
    func pageEnd(to head: ShardHead) -> Int64 { digest == nil ? loaded.head : head.head }

    /// Notes that an entry was read.
    func noteRead(_ entry: LogEntry) {
        readPosition = entry.position
        if digest != nil { digest = entry.digest }
        if readPosition == loaded.head { digest = loaded.digest }
    }

    /// Notes that the timelines are played up to a moment.
    func notePlayed(to moment: Timestamp) { clock = max(clock, moment) }

    // MARK: - Adventures

    /// Follows an adventure.
    func add(_ adventure: FollowedAdventure) {
        adventures[adventure.id] = adventure
        schedule(adventure)
    }

    /// Stops following an adventure and its activities.
    func remove(_ id: AdventureID) { adventures[id] = nil }

    /// Notes when the next tick of an adventure is due, after it was played.
    func schedule(_ adventure: FollowedAdventure) {
        guard let next = adventure.stored.nextTickAt, next != adventure.scheduledTickAt else { return }
        adventure.scheduledTickAt = next
        ticks.insert(ScheduledTick(at: next, adventureID: adventure.id))
    }

    /// Returns an adventure with a tick that is due by a moment; the caller plays and schedules it.
    func popDue(by moment: Timestamp) -> FollowedAdventure? {
        while let next = ticks.min, next.at <= moment {
            ticks.removeMin()
            guard let adventure = adventures[next.adventureID], adventure.scheduledTickAt == next.at else { continue }
            adventure.scheduledTickAt = nil
            return adventure
        }
        return nil
    }

    // MARK: - Activities

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

    func remove(_ key: ActivityKey) {
        guard let adventure = adventures[key.adventureID] else { return }
        adventure.activities[key.activityID] = nil
        if adventure.activities.isEmpty { remove(key.adventureID) }
    }

    /// Stops following an activity, and keeps its decision log until that is flushed.
    func stopFollowing(_ key: ActivityKey, _ decisions: DecisionLog) {
        departed[key] = decisions
        // The adventure stays until the page of the log is processed, which may register another activity of it.
        adventures[key.adventureID]?.activities[key.activityID] = nil
        touchedAdventures.insert(key.adventureID)
    }

    // MARK: - Flushing

    /// Whether the shard may be flushed now; false during the pause after a failed flush.
    func mayFlush(at now: ContinuousClock.Instant) -> Bool { nextFlushAt.map { $0 <= now } ?? true }

    /// Whether everything that was sent is flushed.
    var isFlushed: Bool { dirtyActivities.isEmpty && checkpoint == flushedCheckpoint }

    /// The log position up to which no entry needs to be read again.
    ///
    /// What is pending for an activity because of an event or a registration follows from its row. Only starts and
    /// requested pushes must be read again.
    var checkpoint: Int64 {
        var lowest = adventureStarts.first.map { min(readPosition, $0.position - 1) } ?? readPosition
        for adventure in adventures.values {
            for activity in adventure.activities.values {
                if let position = activity.requestPosition, activity.cadence.isRequestPending {
                    lowest = min(lowest, position - 1)
                }
            }
        }
        return max(lowest, flushedCheckpoint)
    }

    /// The moment of the oldest change that is pending for an activity; nil if nothing is pending.
    var pendingSince: Timestamp? {
        var oldest: Int64?
        for adventure in adventures.values {
            for activity in adventure.activities.values {
                if let position = activity.cadence.firstPendingPosition { oldest = min(oldest ?? position, position) }
            }
        }
        return oldest.map { Timestamp(microseconds: $0) }
    }
}

/// An entry of a shard's heap: the next tick of an adventure.
private struct ScheduledTick: Comparable {
    let at: Timestamp
    let adventureID: AdventureID

    // Ties in the order of identifiers, so that a seeded run is reproducible.
    static func < (left: Self, right: Self) -> Bool {
        (left.at, left.adventureID) < (right.at, right.adventureID)
    }
}
