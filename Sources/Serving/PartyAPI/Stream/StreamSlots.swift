import GameCore
import GameLog
import HTTPServing
import RangersMetrics
import Synchronization

/// A concurrency limit for the event streams of each holder on this node: a player, or some spectators.
///
/// A stream holds a connection for as long as its adventure lasts.
final class StreamSlots: Sendable {
    /// What streams are counted by.
    enum Holder: Hashable {
        case player(PlayerID)
        /// The spectators with a link at an address.
        case spectator(SpectatorLink, ClientAddress)
        /// All spectators with a link.
        case link(SpectatorLink)
    }

    private let maxPerHolder: Int
    private let metrics: HTTPMetrics?
    private let openStreams = Mutex<[Holder: Int]>([:])

    /// Creates a limit.
    /// - Parameters:
    ///   - maxPerHolder: the maximum number of streams of a holder.
    ///   - metrics: receives the number of open streams; nil if others count them.
    init(maxPerHolder: Int, metrics: HTTPMetrics?) {
        self.maxPerHolder = maxPerHolder
        self.metrics = metrics
    }

    /// The slot of an open stream.
    ///
    /// Releasing the object frees it.
    final class Slot: Sendable {
        private let holder: Holder
        private let slots: StreamSlots

        fileprivate init(of holder: Holder, in slots: StreamSlots) {
            self.holder = holder
            self.slots = slots
        }

        deinit { slots.free(holder) }
    }

    /// Acquires a slot; nil if the holder has the maximum number of streams.
    func tryAcquire(for holder: Holder) -> Slot? {
        let isAcquired = openStreams.withLock { openStreams in
            guard openStreams[holder, default: 0] < maxPerHolder else { return false }
            openStreams[holder, default: 0] += 1
            return true
        }
        guard isAcquired else { return nil }
        metrics?.eventStreams.add(1)
        return Slot(of: holder, in: self)
    }

    private func free(_ holder: Holder) {
        metrics?.eventStreams.add(-1)
        openStreams.withLock { openStreams in
            let remaining = openStreams[holder, default: 0] - 1
            openStreams[holder] = remaining > 0 ? remaining : nil
        }
    }
}
