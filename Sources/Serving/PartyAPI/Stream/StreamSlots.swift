import GameCore
import HTTPServing
import RangersMetrics
import Synchronization

/// A concurrency limit for each player's event streams on this node.
///
/// A stream holds a connection for as long as its adventure lasts.
final class StreamSlots: Sendable {
    private let maxPerPlayer: Int
    private let metrics: HTTPMetrics
    private let openStreams = Mutex<[PlayerID: Int]>([:])

    /// Creates a limit.
    /// - Parameters:
    ///   - maxPerPlayer: the maximum number of streams of a player.
    ///   - metrics: receives the number of open streams.
    init(maxPerPlayer: Int, metrics: HTTPMetrics = HTTPMetrics()) {
        self.maxPerPlayer = maxPerPlayer
        self.metrics = metrics
    }

    /// The slot of an open stream.
    ///
    /// Releasing the object frees it.
    final class Slot: Sendable {
        private let playerID: PlayerID
        private let slots: StreamSlots

        fileprivate init(of playerID: PlayerID, in slots: StreamSlots) {
            self.playerID = playerID
            self.slots = slots
        }

        deinit { slots.free(playerID) }
    }

    /// Acquires a slot; nil if the player has the maximum number of streams.
    func tryAcquire(for playerID: PlayerID) -> Slot? {
        let isAcquired = openStreams.withLock { openStreams in
            guard openStreams[playerID, default: 0] < maxPerPlayer else { return false }
            openStreams[playerID, default: 0] += 1
            return true
        }
        guard isAcquired else { return nil }
        metrics.eventStreams.add(1)
        return Slot(of: playerID, in: self)
    }

    private func free(_ playerID: PlayerID) {
        metrics.eventStreams.add(-1)
        openStreams.withLock { openStreams in
            let remaining = openStreams[playerID, default: 0] - 1
            openStreams[playerID] = remaining > 0 ? remaining : nil
        }
    }
}
