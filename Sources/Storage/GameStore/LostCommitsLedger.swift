import Encodings
import GameCore
import GameLog
import Synchronization

/// What readers of a node have found lost in each shard: dispatcher and event streams find the same.
final class LostCommitsLedger: Sendable {
    /// How far the clock of a shard moves on, at most, until all readers of a node have found what is lost.
    private static let window = Duration.seconds(60)

    private let found = Mutex<[Shard: (lost: LostCommits, clock: Timestamp)]>([:])

    /// Notes a loss.
    /// - Returns: what of it is more than another reader has found just now.
    func new(_ lost: LostCommits, of head: ShardHead) -> LostCommits {
        found.withLock { found in
            let known = found[head.shard].flatMap { (.zero...Self.window).contains(head.clock - $0.clock) ? $0 : nil }
            let (entries, time) = (known?.lost.entries ?? 0, known?.lost.time ?? .zero)
            let most = LostCommits(entries: max(entries, lost.entries), time: max(time, lost.time))
            found[head.shard] = (most, known?.clock ?? head.clock)
            return LostCommits(entries: most.entries - entries, time: most.time - time)
        }
    }
}
