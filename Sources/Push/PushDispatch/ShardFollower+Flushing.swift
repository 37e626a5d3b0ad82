package import Encodings
import GameCore
package import GameLog
import PushCadence

/// How much of what has changed in a shard a flush stores.
package enum FlushScope: Sendable {
    /// What must not be repeated or lost after a crash.
    case important
    /// That, and the activities that have waited longest, at most ``maxLazyActivities``.
    case next
    /// All that has changed.
    case everything

    /// The maximum number of activities in a flush that need not be flushed at once.
    ///
    /// With a flush of each shard every ten seconds, a node stores at most some 2,500 such activities a second, however
    /// many phones it pushes to.
    static let maxLazyActivities = 100

    fileprivate var lazyLimit: Int {
        switch self {
        case .important: 0
        case .next: Self.maxLazyActivities
        case .everything: .max
        }
    }
}

/// What is to be stored of a shard.
package struct FlushBatch {
    /// The log position up to which no entry needs to be read again.
    package let checkpoint: Int64
    /// The moment of the oldest change that is pending for an activity whose token is not suspect; nil if there is none.
    package let pendingSince: Timestamp?
    package let activities: [ActivityCheckpoint]
    package let requestedPushes: [RequestedPush]
    /// The decision logs of the activities, and of those that are no longer followed.
    package let decisions: [ActivityDecisions]
    fileprivate let departed: [ActivityKey: DepartedActivity]
}

/// An activity that is no longer followed, until what is to be stored of it is flushed.
struct DepartedActivity {
    let decisions: DecisionLog
    /// What was sent to it, nil if nothing was; the next activity of the phone has the same budget.
    let checkpoint: ActivityCheckpoint?
}

extension ShardFollower {
    /// The log position up to which no entry needs to be read again.
    ///
    /// What is pending for an activity because of an event or a registration follows from its row. Only starts and
    /// requested pushes must be read again.
    var checkpoint: Int64 {
        var unread = adventureStarts.first?.position ?? .max
        for activity in maybePending where activity.cadence.isRequestPending {
            if let position = activity.requestPosition { unread = min(unread, position) }
        }
        return max(flushedCheckpoint, min(readPosition, unread - 1))
    }

    /// The moment of the oldest change that is pending for an activity whose token is not suspect; nil if there is none.
    ///
    /// Operators are alerted by its age. Any player can register invalid tokens, whose activities wait for a long time and
    /// need no action; scheduled activities wait for their start.
    var pendingSince: Timestamp? {
        let late = maybePending.filter { $0.reputation != .suspect && !$0.isAwaitingStart }
        return late.compactMap(\.cadence.pendingSince).min()
    }

    /// Whether everything that was sent is flushed.
    package var isFlushed: Bool {
        dirty.isEmpty && departed.isEmpty && requestedPushes.isEmpty && !mustFlushCheckpoint
            && checkpoint == flushedCheckpoint
    }

    /// Whether there is anything to flush.
    /// - Parameters:
    ///   - scope: how much the flush stores.
    ///   - now: the time.
    /// - Returns: whether a flush would store anything.
    package func isDirty(_ scope: FlushScope, at now: Timestamp) -> Bool {
        if !dirty.isUrgentEmpty || !departed.isEmpty || !requestedPushes.isEmpty || mustFlushCheckpoint { return true }
        switch scope {
        case .important: return false
        case .next, .everything:
            return !dirty.isEmpty || checkpoint > flushedCheckpoint || isPendingSinceDirty(at: now)
        }
    }

    /// Whether the age of the oldest pending change must be flushed by itself.
    ///
    /// Most changes are shown soon, and are flushed with their push at most.
    private func isPendingSinceDirty(at now: Timestamp) -> Bool {
        let pendingSince = pendingSince
        guard pendingSince != flushedPendingSince else { return false }
        return flushedPendingSince != nil || pendingSince.map { now - $0 > Self.pendingFlushDelay } ?? false
    }

    /// Returns what is to be stored now: the state and the decision logs of activities that have changed.
    ///
    /// A crash may lose later decisions, since nothing depends on them.
    ///
    /// The driver reports the result with ``flushed(_:)`` or ``flushFailed(_:)``.
    /// - Parameter scope: how much is included.
    /// - Returns: the batch.
    package mutating func takeFlushBatch(_ scope: FlushScope) -> FlushBatch {
        removeShown()
        // The operator of a requested push waits for its report and the decisions.
        for key in requestedPushes.keys { if let activity = activity(key) { dirty.insertUrgent(activity) } }
        var decisions: [ActivityDecisions] = []
        var checkpoints: [ActivityCheckpoint] = []
        for (key, old) in departed {
            // An activity that is followed again continues its log, of which a batch must have no older copy.
            if let activity = activity(key) {
                dirty.insertUrgent(activity)
            } else {
                decisions.append(ActivityDecisions(key, old.decisions))
                if let checkpoint = old.checkpoint { checkpoints.append(checkpoint) }
            }
        }
        let activities = dirty.take(lazyLimit: scope.lazyLimit)
        for activity in activities where !activity.decisions.isEmpty {
            decisions.append(ActivityDecisions(activity.key, activity.decisions))
        }
        let batch = FlushBatch(
            checkpoint: checkpoint,
            pendingSince: pendingSince,
            activities: checkpoints + activities.map(ActivityCheckpoint.init(of:)),
            requestedPushes: Array(requestedPushes.values),
            decisions: decisions,
            departed: departed
        )
        (departed, requestedPushes, mustFlushCheckpoint) = ([:], [:], false)
        return batch
    }

    /// Notes that a batch is stored.
    package mutating func flushed(_ batch: FlushBatch) {
        flushedCheckpoint = batch.checkpoint
        flushedPendingSince = batch.pendingSince
        // An activity whose token is dead is kept for a while, since the next token gets the waiting alerts.
        for checkpoint in batch.activities where checkpoint.state == .ended { remove(checkpoint.key) }
        for checkpoint in batch.activities where checkpoint.state == .dead {
            guard let activity = activity(checkpoint.key), activity.activity.generation == checkpoint.generation
            else { continue }
            activity.isDeathFlushed = true
        }
    }

    /// Notes that a batch is not stored, or that it is unknown whether it is: the next one has it again.
    package mutating func flushFailed(_ batch: FlushBatch) {
        for checkpoint in batch.activities {
            if let activity = activity(checkpoint.key) { dirty.insertUrgent(activity) }
        }
        mustFlushCheckpoint = true
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
            for activity in adventure.activities where activity.inFlight != nil {
                dirty.insertUrgent(activity)
            }
        }
    }
}

extension ActivityCheckpoint {
    /// Creates the checkpoint of an activity as it is now.
    init(of activity: FollowedActivity) {
        self.init(
            adventureID: activity.key.adventureID,
            activityID: activity.key.activityID,
            generation: activity.activity.generation,
            lastTimestamp: activity.lastTimestamp,
            acknowledgedAt: activity.cadence.acknowledgedAt,
            acceptedAlerts: activity.cadence.acceptedAlerts.encoded,
            budgetFullAt: activity.device.budget.fullAt,
            state: activity.terminalState
        )
    }

    fileprivate var key: ActivityKey { ActivityKey(adventureID: adventureID, activityID: activityID) }
}

extension ActivityDecisions {
    fileprivate init(_ key: ActivityKey, _ log: DecisionLog) {
        self.init(adventureID: key.adventureID, activityID: key.activityID, entries: log.encoded)
    }
}
