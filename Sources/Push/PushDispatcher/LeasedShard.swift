import Foundation
import GameCore
import GameLog
import PushDispatch

/// A shard that this node sends for: its lease, its follower, and when what failed is tried again.
///
/// It is confined to the dispatcher's loop.
final class LeasedShard {
    /// The current lease.
    var lease: ShardLease {
        didSet { follower.epoch = lease.epoch }
    }
    /// The incarnation of this node that has acquired the lease.
    var holder: UUID
    var follower: ShardFollower
    /// The row of the shard up to which it is followed completely; nil if there may be more to do than its next row says.
    var followed: ShardHead?
    /// Whether this node has lost the lease and does not know yet whether another one has acquired it since.
    ///
    /// It is kept, unflushed outcomes of pushes included, in case that this node acquires it again before.
    var isLapsed = false
    /// The earliest time of the next flush after one that failed.
    var nextFlushAt: ContinuousClock.Instant?
    /// The time of the next flush of what need not be flushed at once; the shards are flushed at different times.
    var lazyFlushDueAt: ContinuousClock.Instant
    /// The earliest time at which the log is read again after a failure.
    var nextReadAt: ContinuousClock.Instant?

    var shard: Shard { lease.shard }

    init(
        _ lease: ShardLease,
        holder: UUID,
        at head: ShardHead,
        lazyFlushDueAt: ContinuousClock.Instant
    ) {
        self.lease = lease
        self.holder = holder
        self.lazyFlushDueAt = lazyFlushDueAt
        follower = ShardFollower(lease: lease, at: head)
    }

    /// Whether the shard may be flushed now; false during the pause after a failed flush, and without a lease.
    func mayFlush(at now: ContinuousClock.Instant) -> Bool { !isLapsed && nextFlushAt.map { $0 <= now } ?? true }
}
