import Encodings
import GameCore
import Synchronization

/// The clock of a measured game: it stands still until it is set.
final class GameClock: Sendable {
    private let microseconds: Atomic<Int64>

    /// A clock that shows a moment.
    init(_ moment: Timestamp) {
        microseconds = Atomic(moment.microseconds)
    }

    /// What it shows.
    var now: Timestamp { Timestamp(microseconds: microseconds.load(ordering: .acquiring)) }

    /// Goes on.
    func advance(by duration: Duration) {
        microseconds.add(duration.wholeMicroseconds, ordering: .acquiringAndReleasing)
    }
}
