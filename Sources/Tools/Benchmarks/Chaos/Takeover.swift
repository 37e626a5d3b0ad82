import Encodings
import Foundation
import GameCore

/// When the work of a node that has died, or stands still, is done by others.
///
/// It goes by the leases alone, since nobody tells which of them is whose: whoever renews or takes one after the blow
/// lives, and the others' shards are to be taken over.
struct Takeover: Sendable {
    /// How long it took until the others did it, since the blow.
    struct Times: Encodable, Hashable, Sendable {
        /// Until the last shard that it sent for is sent for by others; nil when that did not come within the time.
        let dispatcherSeconds: Double?
        /// How many shards have another dispatcher than before.
        let shards: Int
        /// When that was due which engines were waited for: zero for what was due at the blow; nil when nothing was seen
        /// to be due within the time.
        let engineDueSeconds: Double?
        /// From then until all was played that was due; nil when that did not come within the time.
        let engineSeconds: Double?

        /// From when until when dispatchers were waited for.
        var dispatcherWait: ClosedRange<Double>? { dispatcherSeconds.map { 0...$0 } }

        /// What is not as it must be: that shards stay without anybody who sends for them, far beyond a lease.
        func complaint(about fault: String) -> String? {
            guard dispatcherSeconds == nil else { return nil }
            return "\(fault): \(TakeoverWatch.longest.text) later nobody sends for some shards"
        }

        /// From when until when engines were waited for.
        var engineWait: ClosedRange<Double>? {
            guard let engineDueSeconds, let engineSeconds else { return nil }
            return engineDueSeconds...engineDueSeconds + engineSeconds
        }
    }

    /// Who sends for a shard, and until when unless that is renewed.
    struct Holding: Hashable, Sendable {
        let shard: Int
        /// Nil when nobody does.
        let holder: UUID?
        let expiresAt: Timestamp
    }

    private let before: [Int: Holding]
    private var living: Set<UUID> = []

    /// - Parameter holdings: right after the blow.
    init(from holdings: [Holding]) {
        before = Dictionary(holdings.map { ($0.shard, $0) }) { $1 }
    }

    /// Looks at the leases once more.
    /// - Returns: whether each shard is somebody's who lives.
    mutating func isOver(_ holdings: [Holding]) -> Bool {
        for holding in holdings {
            guard let holder = holding.holder else { continue }
            let was = before[holding.shard]
            if was?.holder != holder || was.map({ $0.expiresAt < holding.expiresAt }) ?? true { living.insert(holder) }
        }
        return !holdings.isEmpty && holdings.allSatisfy { $0.holder.map(living.contains) ?? false }
    }

    /// How many shards somebody else sends for than at first.
    func changed(_ holdings: [Holding]) -> Int {
        holdings.count { before[$0.shard]?.holder != $0.holder }
    }
}
