package import Encodings
import GameCore
package import PushCadence

/// A phone's budget for alerts, after its pushes of priority 10.
///
/// A token bucket, represented by the time at which it will be full again: each push moves that time by one refill
/// interval.
package struct AlertBudget {
    private let refill: Duration
    /// The longest refill time that may remain when an alert is allowed: the bucket must contain the alert's token and
    /// the reserve.
    private let tolerance: Duration
    /// The time at which the budget is full again.
    package private(set) var fullAgain: Timestamp

    /// Creates a budget.
    /// - Parameters:
    ///   - pace: the budget's size and refill interval.
    ///   - reserve: the tokens that the alert must leave.
    ///   - time: the time at which the budget is full again; nil for a phone without earlier pushes.
    package init(of pace: CadencePolicy.Pace, keeping reserve: Int, fullAgain time: Timestamp?) {
        refill = pace.highRefill
        tolerance = pace.highRefill * (pace.highCapacity - reserve - 1)
        fullAgain = time ?? Timestamp(epochSeconds: 0)
    }

    /// The time from which the budget allows an alert.
    package var availableAt: Timestamp { fullAgain - tolerance }

    /// Spends a token for a push of priority 10.
    package mutating func spend(at time: Timestamp) {
        fullAgain = max(fullAgain, time) + refill
    }
}
