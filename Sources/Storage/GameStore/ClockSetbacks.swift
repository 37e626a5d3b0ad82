public import Encodings
import GameCore
public import GameLog
import Synchronization

/// The shards whose clocks transactions of a store have found ahead of the database's clock, because that was set back.
final class ClockSetbacks: Sendable {
    private let shards = Mutex<Set<Shard>>([])

    /// Notes how far the clock of a shard was ahead of the database's.
    /// - Returns: whether this is news: the shard's clock was not ahead before, and is now by more than is tolerated.
    func isNew(_ shard: Shard, by duration: Duration) -> Bool {
        shards.withLock { shards in
            if duration > ShardHead.toleratedSetback { return shards.insert(shard).inserted }
            shards.remove(shard)
            return false
        }
    }
}

extension ShardHead {
    /// How far the database's clock may be behind that of a shard before it counts as set back.
    static let toleratedSetback = Duration.seconds(2)

    /// Returns how far the database's clock is behind the clock of the shard, because it was set back; nil if it is not.
    public func setback(of databaseClock: Timestamp) -> Duration? {
        clock - databaseClock > Self.toleratedSetback ? clock - databaseClock : nil
    }
}
