import Encodings
import Foundation
import GameCore
public import PushCadence
import PushRules

/// The phones' budgets for pushes of priority 10, as the server keeps them: they last from one adventure to the next.
public struct PhoneBudgets: Sendable {
    /// The server's cadence.
    let policy: CadencePolicy
    /// The time at which each phone's budget is full again, after its pushes so far.
    private var fullAgain: [UUID: Timestamp] = [:]

    /// Creates the full budgets of phones that have not received any push.
    /// - Parameter policy: the server's cadence.
    public init(policy: CadencePolicy = CadencePolicy()) {
        self.policy = policy
    }

    /// Returns the server's pace for an activity's phone.
    func pace(of activity: TrackedActivity) -> CadencePolicy.Pace {
        policy.pace(frequentPushesEnabled: activity.role.frequentPushesEnabled)
    }

    /// Returns the budget of an activity's phone for alerts of one weight.
    func budget(of activity: TrackedActivity, for weight: AlertWeight) -> AlertBudget {
        let pace = pace(of: activity)
        return AlertBudget(of: pace, keeping: pace.reserve(for: weight), fullAgain: fullAgain[activity.phoneID])
    }

    /// Spends the budgets for the pushes of adventures that ran at the same time or one after another.
    mutating func spend(for adventures: [AdventureEvidence]) {
        let pushes = adventures.flatMap { evidence in
            evidence.activities.flatMap { activity in evidence.pushes(to: activity).map { (activity, $0) } }
        }
        for (activity, push) in pushes.sorted(by: { $0.1.time < $1.1.time }) where push.priority == 10 {
            var budget = budget(of: activity, for: .final)
            budget.spend(at: push.time)
            fullAgain[activity.phoneID] = budget.fullAgain
        }
    }
}
