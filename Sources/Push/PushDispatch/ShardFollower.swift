package import Encodings
package import GameCore
package import GameLog
import HeapModule
import PushCadence

/// Follows one shard: plays the timelines of its adventures, keeps their activities' cadences, and decides what is
/// pushed, flushed and started.
///
/// It has no clock, no I/O and no await. The driver passes what happens: pages of the log, the shard's clock, answers to
/// pushes, changes of the lease, and the time; and performs the effects that the ``FollowerContext`` collects.
///
/// `+Loading` has the adventures and activities that are new here, `+Observing` plays the timelines and applies the rules
/// to their events, `+Evaluation` gets the decisions of the cadences, `+Sending` builds the pushes, `+Completion` takes
/// the answers to them, and `+Flushing` says what of it is to be stored.
package struct ShardFollower: ~Copyable {
    /// The maximum `Retry-After` that is respected.
    static let maxRetryAfter = Duration.seconds(3_600)
    /// The maximum number of doublings of an activity's delay after doubtful rejections of its token.
    static let maxDoublings = 5
    /// The age from which a pending change is flushed for operators, without a push.
    static let pendingFlushDelay = Duration.seconds(5)

    package let shard: Shard
    /// The epoch of the current lease; it may have grown since the first one, but no other node held the shard in
    /// between.
    package var epoch: Int64
    /// The epoch of the first lease; answers to pushes since then are accepted.
    package let firstEpoch: Int64
    /// The lowest timestamp of its pushes.
    let firstTimestamp: Int64
    /// Whether the shard is given to another node, or its lease has lapsed: nothing is sent for it any more.
    package var isLeaving = false

    /// Whether an earlier holder may have sent pushes that are not recorded; false once the activities are loaded.
    var mayHaveUnrecordedPushes: Bool

    /// The row of the shard when it was loaded.
    package let loaded: ShardHead
    /// What was sent before the database lost commits, while the shard is loaded anew.
    var predecessor: [ActivityKey: SentBefore]?
    /// What was sent to the activities of adventures that cannot be played: they may be loaded with a recorded end.
    var unplayable: [ActivityKey: SentBefore] = [:]
    /// What was sent to the activities that this node stopped following in the last minute or two: the database may lose
    /// their end or release.
    private var forgotten = (recently: [ActivityKey: SentBefore](), before: [ActivityKey: SentBefore]())
    /// The newest log position that was read.
    package private(set) var readPosition: Int64
    /// The digest of the log up to there; nil before the head at which the shard was loaded.
    package private(set) var digest: LogDigest?
    /// The digests of the log at later positions, up to which adventures were loaded.
    private var expectedDigests: [Int64: LogDigest] = [:]
    /// The moment up to which some adventure was loaded.
    private var loadedUntil: Timestamp
    /// The newest position, and the newest moment, up to which adventures were loaded when the timelines were played last:
    /// the next head is not before them.
    private var known: (head: Int64, clock: Timestamp)
    /// The moment up to which the timelines are played.
    package private(set) var clock: Timestamp
    /// Whether everything up to the clock is observed.
    ///
    /// Otherwise no push is decided: it might show half of a moment.
    package var isCaughtUp = false
    /// The activities for which something may be pending, without those of touched adventures.
    private var pendingActivities: [FollowedActivity] = []
    /// The adventures with changes that are observed and not evaluated yet.
    var touchedAdventures: Set<AdventureID> = []
    private(set) var adventures: [AdventureID: FollowedAdventure] = [:]
    /// The adventures that cannot be played, until an operator ends them.
    package internal(set) var unplayableAdventures: Set<AdventureID> = []
    /// The adventures whose recorded end is not what was played here: they are loaded with it before the timelines are
    /// played any further.
    package internal(set) var endedOtherwise: Set<AdventureID> = []
    /// The adventures that are still to be loaded because a member has a device with an alert token.
    package internal(set) var adventuresToAlert: Set<AdventureID> = []
    /// The next tick of each adventure; entries that differ from ``FollowedAdventure/scheduledTickAt`` are out of date.
    private var ticks = Heap<ScheduledTick>()
    /// The times at which activities are evaluated; entries that differ from ``FollowedActivity/wakeAt`` are out of date.
    var wakeups = Heap<Wakeup>()

    /// The newest checkpoint that was flushed.
    package internal(set) var flushedCheckpoint: Int64
    /// The beginning of the oldest pending change that was flushed.
    var flushedPendingSince: Timestamp?
    /// The adventures for which activities may have to be started, in the order of the log.
    var adventureStarts: [AdventureStart] = []
    /// The activities whose rows are to be flushed.
    var dirty = DirtyActivities()
    /// Whether starts were requested that would be requested again after a crash, before the checkpoint is flushed.
    var mustFlushCheckpoint = false
    /// What is to be stored of activities that are no longer followed, until it is flushed.
    var departed: [ActivityKey: DepartedActivity] = [:]
    /// The reports of requested pushes, until they are flushed.
    var requestedPushes: [ActivityKey: RequestedPush] = [:]

    /// Creates the follower of a shard whose log is read from its checkpoint on.
    /// - Parameters:
    ///   - lease: the lease.
    ///   - head: the row of the shard.
    package init(lease: ShardLease, at head: ShardHead) {
        self.init(
            shard: lease.shard,
            epoch: lease.epoch,
            firstEpoch: lease.epoch,
            firstTimestamp: lease.firstTimestamp,
            flushedCheckpoint: lease.checkpoint,
            at: head
        )
        mayHaveUnrecordedPushes = !lease.wasReleased
    }

    private init(
        shard: Shard,
        epoch: Int64,
        firstEpoch: Int64,
        firstTimestamp: Int64,
        flushedCheckpoint: Int64,
        at head: ShardHead
    ) {
        self.shard = shard
        self.epoch = epoch
        self.firstEpoch = firstEpoch
        self.firstTimestamp = firstTimestamp
        mayHaveUnrecordedPushes = false
        // A checkpoint beyond the head belongs to another log.
        self.flushedCheckpoint = min(flushedCheckpoint, head.head)
        loaded = head
        clock = head.clock
        loadedUntil = head.clock
        known = (head.head, head.clock)
        readPosition = self.flushedCheckpoint
        if readPosition == head.head { digest = head.digest }
    }

    /// Returns a follower that reads the shard anew, since its log or its clock is not the one that was read.
    /// - Parameters:
    ///   - head: the row of the shard.
    ///   - checkpoint: the stored checkpoint: the one that was flushed may be lost.
    /// - Returns: the follower, with what was sent before.
    package func successor(at head: ShardHead, from checkpoint: Int64) -> ShardFollower {
        var successor = ShardFollower(
            shard: shard,
            epoch: epoch,
            firstEpoch: firstEpoch,
            firstTimestamp: firstTimestamp,
            flushedCheckpoint: checkpoint,
            at: head
        )
        var sent = forgotten.before.merging(forgotten.recently) { $1 }
        successor.forgotten.recently = sent
        sent.merge(unplayable) { $1 }
        for adventure in adventures.values {
            for activity in adventure.activities { sent[activity.key] = SentBefore(to: activity) }
        }
        successor.predecessor = sent
        successor.departed = departed
        successor.requestedPushes = requestedPushes
        successor.mustFlushCheckpoint = mustFlushCheckpoint
        return successor
    }

    // MARK: - The log and the clock

    /// Whether the row of the shard does not continue the log and the clock as far as they were read.
    package func isForked(from head: ShardHead) -> Bool {
        if head.clock < max(clock, known.clock) || head.head < max(readPosition, known.head) { return true }
        return head.head == readPosition && digest.map { $0 != head.digest } ?? false
    }

    /// Whether a page of the log does not continue what was read or loaded.
    ///
    /// None of its entries may be observed then: they concern activities and moments of another history.
    /// Of a log that is longer than a page, only the last page ends at a digest that is known.
    /// - Parameters:
    ///   - page: the entries after those that were read.
    ///   - end: the position up to which the page was read.
    ///   - head: the row of the shard.
    /// - Returns: true if the shard is to be loaded anew.
    package func isForked(by page: some BidirectionalCollection<LogEntry>, to end: Int64, of head: ShardHead) -> Bool {
        // A decision for a moment that was played already: the database lost the clock that had passed it.
        if let next = page.first(where: { $0.position > loaded.head }), next.at < clock { return true }
        if let next = page.first(where: { $0.position > known.head }), next.at < known.clock { return true }
        guard let digest else { return expectedDigests[loaded.head].map { $0 != loaded.digest } ?? false }
        if page.contains(where: { entry in expectedDigests[entry.position].map { $0 != entry.digest } ?? false }) {
            return true
        }
        return end == head.head && page.last?.digest ?? digest != head.digest
    }

    /// The position up to which the next page is read: up to the head at which the shard was loaded, the digest of the
    /// log is not known.
    package func pageEnd(to head: ShardHead) -> Int64 { digest == nil ? loaded.head : head.head }

    /// Notes that the log was read up to a position, with a digest of the entries that were read.
    ///
    /// Entries before the head at which the shard was loaded may be missing: they are removed with the details of
    /// adventures. Any other gap makes the digests differ.
    package mutating func noteRead(through position: Int64, _ digest: LogDigest?) {
        readPosition = position
        if self.digest != nil, let digest { self.digest = digest }
        if position == loaded.head { self.digest = loaded.digest }
        if !expectedDigests.isEmpty { expectedDigests = expectedDigests.filter { $0.key > position } }
    }

    /// Notes that the timelines are played up to a moment.
    package mutating func notePlayed(to moment: Timestamp) {
        clock = max(clock, moment)
        known = (max(known.head, expectedDigests.keys.max() ?? 0), max(known.clock, loadedUntil))
    }

    /// Whether adventures were loaded that are ahead of the log as it was read: what they show waits for the rest of it.
    package var isBehindAdventures: Bool { !expectedDigests.isEmpty }

    // MARK: - Adventures

    /// The number of activities.
    package var activityCount: Int { adventures.values.reduce(0) { $0 + $1.activities.count } }

    /// Whether an activity of an adventure is followed.
    package func follows(_ id: AdventureID) -> Bool { adventures[id] != nil }

    /// The parties on those of some adventures that are followed.
    package func partyIDs(of ids: Set<AdventureID>) -> [AdventureID: PartyID] {
        adventures.filter { ids.contains($0.key) }.mapValues(\.stored.partyID)
    }

    /// Whether an activity is followed.
    package func follows(_ key: ActivityKey) -> Bool { activity(key) != nil }

    /// The followed activities, each with its newest token that is known to be dead, if any; simulations check it.
    package var deadTokens: [ActivityKey: [UInt8]?] {
        let activities = adventures.values.flatMap(\.activities)
        return Dictionary(uniqueKeysWithValues: activities.map { ($0.key, $0.deadToken) })
    }

    /// The adventures in the order of their identifiers, so that a seeded run is reproducible.
    var sortedAdventures: [FollowedAdventure] { adventures.values.sorted { $0.id < $1.id } }

    /// Follows an adventure.
    mutating func add(_ adventure: FollowedAdventure) {
        adventures[adventure.id] = adventure
        loadedUntil = max(loadedUntil, adventure.stored.playedUntil)
        if adventure.stored.readPosition > readPosition, let digest = adventure.stored.readDigest {
            expectedDigests[adventure.stored.readPosition] = digest
        }
        schedule(adventure)
    }

    /// Stops following an adventure that cannot be played.
    mutating func removeUnplayable(_ id: AdventureID) {
        for activity in adventures[id]?.activities ?? [] { unplayable[activity.key] = SentBefore(to: activity) }
        remove(id)
    }

    /// Stops following an adventure and its activities.
    mutating func remove(_ id: AdventureID) {
        for activity in adventures.removeValue(forKey: id)?.activities ?? [] { activity.isFollowed = false }
    }

    private mutating func forget(_ key: ActivityKey) {
        guard let activity = adventures[key.adventureID]?.remove(key.activityID) else { return }
        activity.isFollowed = false
        forgotten.recently[key] = SentBefore(to: activity)
    }

    /// Returns what this node sent to an activity that it followed before, even if the database lost it; nil if it does not
    /// know.
    func sentBefore(_ key: ActivityKey) -> SentBefore? {
        predecessor?[key] ?? unplayable[key] ?? forgotten.recently[key] ?? forgotten.before[key]
    }

    /// Remembers what the predecessor sent to activities that the database has lost: apps may register them again.
    mutating func rememberUnloaded() {
        for (key, sent) in predecessor ?? [:] where activity(key) == nil { forgotten.recently[key] = sent }
    }

    /// Notes when the next tick of an adventure is due, after it was played.
    mutating func schedule(_ adventure: FollowedAdventure) {
        guard let next = adventure.stored.nextTickAt, next != adventure.scheduledTickAt else { return }
        adventure.scheduledTickAt = next
        ticks.insert(ScheduledTick(at: next, adventureID: adventure.id))
    }

    /// Returns an adventure with a tick that is due by a moment; the caller plays and schedules it.
    mutating func popDue(by moment: Timestamp) -> FollowedAdventure? {
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
        adventures[key.adventureID]?.activity(key.activityID)
    }

    /// Whether the answer to a push is outstanding.
    package var hasPushesInFlight: Bool {
        adventures.values.contains { $0.activities.contains { $0.inFlight != nil } }
    }

    /// Forgets what was sent to the activities that this node had stopped following before the last call.
    mutating func forgetOld() { forgotten = ([:], forgotten.recently) }

    /// Stops following an activity.
    mutating func remove(_ key: ActivityKey) {
        forget(key)
        if adventures[key.adventureID]?.isNeeded == false { remove(key.adventureID) }
    }

    /// Stops following an activity, and keeps its decision log, and what was sent to it, until they are flushed.
    mutating func stopFollowing(_ key: ActivityKey, _ decisions: DecisionLog) {
        let known = activity(key)
        let isStored = known.map { $0.inFlight == nil && $0.dirtyMarks.isDisjoint(with: [.lazy, .urgent]) } ?? true
        let checkpoint = isStored ? departed[key]?.checkpoint : known.map(ActivityCheckpoint.init(of:))
        departed[key] = DepartedActivity(decisions: decisions, checkpoint: checkpoint)
        // The adventure stays until the page of the log is processed, which may register another activity of it.
        forget(key)
        touchedAdventures.insert(key.adventureID)
    }

    /// Returns the activities for which something is pending although nothing will evaluate them: no answer, no turn in a
    /// queue, no rest of the log and no time.
    ///
    /// There are none while the shard is not given away; simulations check it.
    package func neglectedActivities(_ settings: FollowerContext.Settings) -> [ActivityKey] {
        let dueAt = dueAt(settings)
        return sortedAdventures.flatMap(\.activities).filter { activity in
            guard !activity.isClosed, activity.cadence.pendingSince != nil, activity.inFlight == nil,
                activity.queueTicket == nil, !touchedAdventures.contains(activity.key.adventureID)
            else { return false }
            guard let wakeAt = activity.wakeAt, let dueAt else { return true }
            return dueAt > wakeAt
        }.map(\.key)
    }

    /// Notes whether something is pending for an activity, after it was evaluated.
    mutating func notePending(_ activity: FollowedActivity) {
        guard !activity.isListedAsPending, activity.cadence.pendingSince != nil else { return }
        activity.isListedAsPending = true
        pendingActivities.append(activity)
    }

    /// Removes the activities for which nothing is pending any more from the list of those that may be.
    mutating func removeShown() {
        pendingActivities.removeAll { activity in
            guard !activity.isFollowed || activity.cadence.pendingSince == nil else { return false }
            activity.isListedAsPending = false
            return true
        }
    }

    /// The activities for which something may be pending, since all of a shard are too many to look at for each flush.
    var maybePending: [FollowedActivity] {
        pendingActivities.filter(\.isFollowed)
            + touchedAdventures.flatMap { adventures[$0]?.activities ?? [] }
    }
}

/// What a node has sent to an activity that it stopped following, or whose shard it loads anew.
struct SentBefore {
    let lastTimestamp: Int64
    let terminalState: Activity.State
    let tokenDiedAt: Timestamp?
    let deadToken: [UInt8]?
    let acceptedAlerts: [AcceptedAlert]

    init(to activity: FollowedActivity) {
        lastTimestamp = activity.lastTimestamp
        terminalState = activity.terminalState
        tokenDiedAt = activity.tokenDiedAt
        deadToken = activity.deadToken
        acceptedAlerts = activity.cadence.acceptedAlerts
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
