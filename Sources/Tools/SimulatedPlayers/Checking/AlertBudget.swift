import Encodings
import GameCore
import PushCadence

/// What pushes of priority 10 leave of a phone's budget to the alerts that do not tell the end.
///
/// A bucket of tokens that refills with time, kept as the one moment at which it would be full again: each push moves
/// that on by the time that one token takes.
struct AlertBudget {
    private let refill: Duration
    /// How far from full the bucket may be for an alert: the alert itself and its reserve must still be in it.
    private let tolerance: Duration
    private var fullAgain: Timestamp

    /// A budget of which nothing has been spent until a moment.
    /// - Parameters:
    ///   - pace: its numbers.
    ///   - reserve: what the alert leaves to others.
    ///   - moment: when it was full.
    init(of pace: CadencePolicy.Pace, keeping reserve: Int, fullAt moment: Timestamp) {
        refill = pace.highRefill
        tolerance = pace.highRefill * (pace.highCapacity - reserve - 1)
        fullAgain = moment
    }

    /// From when on it allows an alert, if nothing more is spent.
    var opens: Timestamp { fullAgain - tolerance }

    /// A push of priority 10 went out.
    mutating func spend(at moment: Timestamp) {
        fullAgain = max(fullAgain, moment) + refill
    }
}
