import GameCore
import GameStore
import Logging
import PushCadence

extension DispatchLoop {
    func settleIfDue() async {
        guard clock.now >= settleDueAt else { return }
        settleDueAt = clock.now + settings.settleInterval
        await settleAll()
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
        guard checkpoint > followed.writtenCheckpoint || !keys.isEmpty else { return }
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
                marks: marks
            )
            guard isHeld else {
                drop(followed.shard)
                return
            }
            followed.writtenCheckpoint = checkpoint
            followed.unwritten.subtract(keys)
            for mark in marks where mark.state != .live {
                let key = ActivityKey(adventureID: mark.adventureID, activityID: mark.activityID)
                // A token that came in the meantime has brought the activity back to life.
                if followed.activity(key)?.activity.generation == mark.generation { followed.remove(key) }
            }
        }
    }
}
