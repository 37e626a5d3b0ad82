package import Encodings
import GameCore
package import GameLog
import PushCadence

/// What is to be stored of a shard.
package struct FlushBatch {
    /// The log position up to which no entry needs to be read again.
    package let checkpoint: Int64
    /// The moment of the oldest change that is pending for an activity; nil if nothing is pending.
    package let pendingSince: Timestamp?
    package let activities: [ActivityCheckpoint]
    package let requestedPushes: [RequestedPush]
    fileprivate let logs: [ActivityKey: DecisionLog]
    fileprivate let departed: [ActivityKey: DecisionLog]

    /// The decision logs.
    ///
    /// A crash may lose later decisions, since nothing depends on them.
    package var decisions: [ActivityDecisions] {
        departed.merging(logs) { $1 }.map { key, log in
            ActivityDecisions(adventureID: key.adventureID, activityID: key.activityID, entries: log.encoded)
        }
    }
}

extension ShardFollower {
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

    /// Whether everything that was sent is flushed.
    package var isFlushed: Bool { dirtyActivities.isEmpty && checkpoint == flushedCheckpoint }

    /// Whether there is anything to flush.
    /// - Parameters:
    ///   - includesDecisions: whether all decision logs that have changed are flushed, too.
    ///   - now: the node's clock.
    /// - Returns: whether a flush would store anything.
    package func isDirty(includingDecisions includesDecisions: Bool, at now: Timestamp) -> Bool {
        !dirtyActivities.isEmpty || !departed.isEmpty || !requestedPushes.isEmpty
            || !decisionsToFlush(all: includesDecisions).isEmpty || checkpoint > flushedCheckpoint
            || isPendingSinceDirty(at: now)
    }

    /// Whether the age of the oldest pending change must be flushed by itself.
    ///
    /// Most changes are shown soon, and are flushed with their push at most.
    private func isPendingSinceDirty(at now: Timestamp) -> Bool {
        let pendingSince = pendingSince
        guard pendingSince != flushedPendingSince else { return false }
        return flushedPendingSince != nil || pendingSince.map { now - $0 > Self.pendingFlushDelay } ?? false
    }

    /// The activities whose decisions a flush includes.
    private func decisionsToFlush(all: Bool) -> Set<ActivityKey> {
        // An operator who has requested a push waits for its report and the decisions.
        if all || !requestedPushes.isEmpty { return dirtyDecisions }
        return dirtyDecisions.filter { activity($0)?.terminalState != .live }
    }

    /// Returns what is to be stored now: the state of all activities that have changed, and decision logs.
    ///
    /// The driver reports the result with ``flushed(_:)`` or ``flushFailed(_:)``.
    /// - Parameter includesDecisions: whether all decision logs that have changed are included.
    /// - Returns: the batch.
    package mutating func takeFlushBatch(includingDecisions includesDecisions: Bool) -> FlushBatch {
        let logs = decisionsToFlush(all: includesDecisions).compactMap { key in
            activity(key).map { (key, $0.decisions) }
        }
        let batch = FlushBatch(
            checkpoint: checkpoint,
            pendingSince: pendingSince,
            activities: dirtyActivities.compactMap { activity($0) }.map { activity in
                ActivityCheckpoint(
                    adventureID: activity.key.adventureID,
                    activityID: activity.key.activityID,
                    generation: activity.activity.generation,
                    lastTimestamp: activity.lastTimestamp,
                    acknowledgedAt: activity.cadence.resumePoint,
                    state: activity.terminalState
                )
            },
            requestedPushes: Array(requestedPushes.values),
            logs: Dictionary(logs) { $1 },
            departed: departed
        )
        dirtyActivities = []
        dirtyDecisions.subtract(batch.logs.keys)
        (departed, requestedPushes) = ([:], [:])
        return batch
    }

    /// Notes that a batch is stored.
    package mutating func flushed(_ batch: FlushBatch) {
        flushedCheckpoint = batch.checkpoint
        flushedPendingSince = batch.pendingSince
        // An activity whose token is dead is kept for a while, since the next token gets the waiting alerts.
        for checkpoint in batch.activities where checkpoint.state == .ended {
            // An activity with a newer token is live again.
            let key = checkpoint.key
            if activity(key)?.activity.generation == checkpoint.generation { remove(key) }
        }
    }

    /// Notes that a batch is not stored, or that nobody knows whether it is: the next one has it again.
    package mutating func flushFailed(_ batch: FlushBatch) {
        dirtyActivities.formUnion(batch.activities.map(\.key))
        dirtyDecisions.formUnion(batch.logs.keys)
        departed.merge(batch.departed) { newer, _ in newer }
        for push in batch.requestedPushes {
            let key = ActivityKey(adventureID: push.adventureID, activityID: push.activityID)
            if requestedPushes[key] == nil { requestedPushes[key] = push }
        }
    }

    /// Marks the activities with a push in flight for the last flush: the push may have been sent, so its timestamp
    /// counts as used.
    package mutating func abandonPushesInFlight() {
        for adventure in adventures.values {
            for activity in adventure.activities.values where activity.inFlight != nil {
                dirtyActivities.insert(activity.key)
            }
        }
    }
}

extension ActivityCheckpoint {
    fileprivate var key: ActivityKey { ActivityKey(adventureID: adventureID, activityID: activityID) }
}
