import GameCore
import GameStore
import Logging
import PushCadence

extension DispatchLoop {
    func settleIfDue() async {
        guard surroundings.uptime() >= settleDueAt else { return }
        settleDueAt = surroundings.uptime() + settings.settleInterval
        await settleAll()
        measure()
    }

    /// Shard by shard, until the database fails: the next time goes on.
    func settleAll() async {
        for followed in shards.values.sorted(by: { $0.shard < $1.shard }) where !hasFailed {
            await settle(followed)
        }
    }

    func settle(_ followed: FollowedShard) async {
        let checkpoint = followed.checkpoint
        let keys = followed.unwritten
        let isDocumenting = isDraining || followed.isLeaving || surroundings.uptime() >= followed.documentDueAt
        let undocumented =
            isDocumenting
            ? followed.undocumented : followed.undocumented.filter { followed.activity($0)?.fate != .live }
        let (partings, askedPushes) = (followed.partings, followed.askedPushes)
        guard
            checkpoint > followed.writtenCheckpoint
                || !(keys.isEmpty && undocumented.isEmpty && partings.isEmpty && askedPushes.isEmpty)
        else { return }
        let marks = keys.compactMap { followed.activity($0) }.map { activity in
            ActivityMark(
                adventureID: activity.key.adventureID,
                activityID: activity.key.activityID,
                generation: activity.activity.generation,
                lastTimestamp: activity.lastTimestamp,
                settledPosition: activity.cadence.settledThrough,
                state: activity.fate
            )
        }
        await reporting("what was sent for shard \(followed.shard.rawValue) could not be written") {
            let isHeld = try await store.settle(
                followed.lease,
                holder: holder,
                checkpoint: checkpoint,
                marks: marks,
                decisions: decisions(of: undocumented, and: partings, in: followed),
                askedPushes: Array(askedPushes.values)
            )
            guard isHeld else {
                drop(followed.shard)
                return
            }
            followed.writtenCheckpoint = checkpoint
            followed.unwritten.subtract(keys)
            followed.undocumented.subtract(undocumented)
            if isDocumenting { followed.documentDueAt = surroundings.uptime() + settings.documentInterval }
            followed.partings = followed.partings.filter { partings[$0.key] == nil }
            followed.askedPushes = followed.askedPushes.filter { askedPushes[$0.key] != $0.value }
            // One whose token is dead is kept for a while: the next token gets the alerts that wait.
            for mark in marks where mark.state == .ended {
                let key = ActivityKey(adventureID: mark.adventureID, activityID: mark.activityID)
                // A token that came in the meantime has brought the activity back to life.
                if followed.activity(key)?.activity.generation == mark.generation { followed.remove(key) }
            }
        }
    }

    /// What was decided since it was last written; what is decided after this a crash may lose, as nothing depends on it.
    func decisions(
        of undocumented: Set<ActivityKey>,
        and partings: [ActivityKey: DecisionLog],
        in followed: FollowedShard
    ) -> [ActivityDecisions] {
        let logs = undocumented.compactMap { key in followed.activity(key).map { (key, $0.decisions) } }
        return partings.merging(logs) { $1 }.map { key, log in
            ActivityDecisions(adventureID: key.adventureID, activityID: key.activityID, entries: log.encoded)
        }
    }
}
