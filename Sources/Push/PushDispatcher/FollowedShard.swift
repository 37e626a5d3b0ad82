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
    /// Whether the shard is beyond this node's share, or needs a newer version: no push is sent for it any more, and
    /// its lease will be released.
    var isLeaving = false
    /// The earliest time of the next flush after one that failed.
    var nextFlushAt: ContinuousClock.Instant?
    /// The earliest time at which the log is read again after a failure.
    var nextReadAt: ContinuousClock.Instant?

    /// The row of the shard when it was loaded.
    let loaded: ShardHead
    /// The state of the shard before the database lost commits, while it is loaded anew.
    var predecessor: FollowedShard?
    /// The newest log position that was read.
    private(set) var readPosition: Int64
    /// The digest of the log up to there; nil before the head at which the shard was loaded.
    private(set) var digest: LogDigest?
    /// The digests of the log at later positions, up to which adventures were loaded.
    private var expectedDigests: [Int64: LogDigest] = [:]
    /// Whether the log has another digest at one of these: the database has lost what was loaded.
    private var hasMetAnotherLog = false
    /// The moment up to which the timelines are played.
    private(set) var clock: Timestamp
    /// Whether everything up to the clock is observed.
    ///
    /// Otherwise no push is decided: it might show half of a moment.
    var isCaughtUp = false
    /// The activities for which something may be pending, without those of touched adventures.
    private var pendingActivities: Set<ActivityKey> = []
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

    /// Creates a shard whose log is read from its checkpoint on.
    /// - Parameters:
    ///   - lease: the lease.
    ///   - head: the row of the shard.
    ///   - sendUntil: the moment until which the lease allows pushes.
    ///   - decisionFlushDueAt: the time of the first flush of decisions.
    ///   - predecessor: the shard as it was followed so far, if its log or its clock is not the one that was read.
    init(
        lease: ShardLease,
        at head: ShardHead,
        sendUntil: ContinuousClock.Instant,
        decisionFlushDueAt: ContinuousClock.Instant,
        replacing predecessor: FollowedShard? = nil
    ) {
        self.lease = lease
        firstEpoch = predecessor?.firstEpoch ?? lease.epoch
        self.sendUntil = sendUntil
        self.decisionFlushDueAt = decisionFlushDueAt
        self.predecessor = predecessor
        loaded = head
        clock = head.clock
        flushedCheckpoint = predecessor?.flushedCheckpoint ?? lease.checkpoint
        // A checkpoint beyond the head belongs to another log.
        readPosition = min(flushedCheckpoint, head.head)
        if readPosition == head.head { digest = head.digest }
    }

    // MARK: - The log and the clock

    /// Whether the row of the shard does not continue the log and the clock as far as they were read.
    func isForked(from head: ShardHead) -> Bool {
        if hasMetAnotherLog || head.clock < clock || head.head < max(readPosition, loaded.head) { return true }
        return head.head == readPosition && digest.map { $0 != head.digest } ?? false
    }

    /// The position up to which the next page is read: up to the head at which the shard was loaded, the digest of the
    /// log is not known.
    func pageEnd(to head: ShardHead) -> Int64 { digest == nil ? loaded.head : head.head }

    /// Notes that the log was read up to a position, with a digest of the entries that were read.
    ///
    /// Entries before the head at which the shard was loaded may be missing: they are removed with the details of
    /// adventures. Any other gap makes the digests differ.
    func noteRead(through position: Int64, _ digest: LogDigest?) {
        readPosition = position
        if self.digest != nil, let digest { self.digest = digest }
        if position == loaded.head { self.digest = loaded.digest }
        if let expected = expectedDigests.removeValue(forKey: position), let known = self.digest, known != expected {
            hasMetAnotherLog = true
        }
    }

    /// Notes that the timelines are played up to a moment.
    func notePlayed(to moment: Timestamp) { clock = max(clock, moment) }

    // MARK: - Adventures

    /// Follows an adventure.
    func add(_ adventure: FollowedAdventure) {
        adventures[adventure.id] = adventure
        if adventure.stored.readPosition > readPosition, let digest = adventure.stored.readDigest {
            expectedDigests[adventure.stored.readPosition] = digest
        }
        schedule(adventure)
    }

    /// Stops following an adventure and its activities.
    func remove(_ id: AdventureID) {
        for activity in adventures[id]?.activities.values.map(\.key) ?? [] { forget(activity) }
        adventures[id] = nil
    }

    private func forget(_ key: ActivityKey) {
        adventures[key.adventureID]?.activities[key.activityID] = nil
        pendingActivities.remove(key)
    }

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

    /// The activities with a push in flight.
    var pushesInFlight: [ActivityKey] {
        adventures.values.flatMap { $0.activities.values.filter { $0.inFlight != nil }.map(\.key) }
    }

    func remove(_ key: ActivityKey) {
        forget(key)
        if adventures[key.adventureID]?.activities.isEmpty == true { remove(key.adventureID) }
    }

    /// Stops following an activity, and keeps its decision log until that is flushed.
    func stopFollowing(_ key: ActivityKey, _ decisions: DecisionLog) {
        departed[key] = decisions
        // The adventure stays until the page of the log is processed, which may register another activity of it.
        forget(key)
        touchedAdventures.insert(key.adventureID)
    }

    // MARK: - Flushing

    /// Whether the shard may be flushed now; false during the pause after a failed flush.
    func mayFlush(at now: ContinuousClock.Instant) -> Bool { nextFlushAt.map { $0 <= now } ?? true }

    /// Whether everything that was sent is flushed.
    var isFlushed: Bool { dirtyActivities.isEmpty && checkpoint == flushedCheckpoint }

    /// Notes whether something is pending for an activity, after it was evaluated.
    func notePending(_ activity: FollowedActivity) {
        if activity.cadence.pendingSince == nil {
            pendingActivities.remove(activity.key)
        } else {
            pendingActivities.insert(activity.key)
        }
    }

    /// The activities for which something may be pending, since all of a shard are too many to look at for each flush.
    private var maybePending: [FollowedActivity] {
        pendingActivities.compactMap { activity($0) }
            + touchedAdventures.flatMap { adventures[$0]?.activities.values.map(\.self) ?? [] }
    }

    /// The log position up to which no entry needs to be read again.
    ///
    /// What is pending for an activity because of an event or a registration follows from its row. Only starts and
    /// requested pushes must be read again.
    var checkpoint: Int64 {
        let requests = maybePending.compactMap { $0.cadence.isRequestPending ? $0.requestPosition : nil }
        let unread = [requests.min(), adventureStarts.first?.position].compactMap(\.self).map { $0 - 1 }
        return max(flushedCheckpoint, unread.reduce(readPosition, min))
    }

    /// The moment of the oldest change that is pending for an activity; nil if nothing is pending.
    var pendingSince: Timestamp? { maybePending.compactMap(\.cadence.pendingSince).min() }
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
