import GameCore
import RangersMetrics
import Synchronization

/// How many streams each player has open on this node: so many at most, since each holds a connection for as long as an
/// adventure lasts.
final class StreamPlaces: Sendable {
    private let most: Int
    private let metrics: APIMetrics
    private let taken = Mutex<[PlayerID: Int]>([:])

    /// - Parameters:
    ///   - most: how many a player may have open.
    ///   - metrics: told of all of them.
    init(most: Int, metrics: APIMetrics = APIMetrics()) {
        self.most = most
        self.metrics = metrics
    }

    /// A stream's place, which is free again when nobody holds it any more.
    final class Place: Sendable {
        private let playerID: PlayerID
        private let places: StreamPlaces

        fileprivate init(of playerID: PlayerID, in places: StreamPlaces) {
            self.playerID = playerID
            self.places = places
        }

        deinit { places.free(playerID) }
    }

    /// Takes a place, nil when the player has as many as allowed.
    func take(for playerID: PlayerID) -> Place? {
        let isFree = taken.withLock { taken in
            guard taken[playerID, default: 0] < most else { return false }
            taken[playerID, default: 0] += 1
            return true
        }
        guard isFree else { return nil }
        metrics.streams.add(1)
        return Place(of: playerID, in: self)
    }

    private func free(_ playerID: PlayerID) {
        metrics.streams.add(-1)
        taken.withLock { taken in
            let left = taken[playerID, default: 0] - 1
            taken[playerID] = left > 0 ? left : nil
        }
    }
}
