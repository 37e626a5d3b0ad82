import Encodings
import GameCore

/// When the last few things happened in an adventure, by their positions in the log.
///
/// What one transaction has written happened at one moment, so a few moments reach back over some ticks.
struct EventMoments {
    private struct Moment {
        let first: Int64
        let at: Timestamp
    }

    /// Longer than an alert waits, at the default speed of a fight.
    private static let kept = 8

    private var moments: [Moment] = []

    /// Something happened; positions ascend.
    mutating func note(_ position: Int64, at moment: Timestamp) {
        guard moments.last?.at != moment else { return }
        if moments.count == Self.kept { moments.removeFirst() }
        moments.append(Moment(first: position, at: moment))
    }

    /// When it happened; nil for what is not kept any more.
    func moment(of position: Int64) -> Timestamp? {
        moments.last { $0.first <= position }?.at
    }
}
