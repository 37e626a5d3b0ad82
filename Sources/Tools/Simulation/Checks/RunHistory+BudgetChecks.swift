import Encodings
import GameCore
import PushCadence

extension RunHistory {
    /// A phone, as far as the dispatchers of one shard can tell phones apart.
    private struct Phone: Hashable {
        let shard: Shard
        let playerID: PlayerID
        let frequentPushesEnabled: Bool
    }

    /// The pushes that a phone got at priority 10.
    private struct Spending {
        /// When the phone's budget is full again.
        var fullAt = Int64.min
        /// The first push since it was full.
        var since: Int64 = 0
    }

    /// How much later than decided, or how much earlier than the one before, a push may be written: pushes wait in the
    /// client for up to six seconds.
    private static let budgetTolerance: Int64 = 10_000_000

    /// Checks that no phone gets more pushes at priority 10 than its budget allows, whichever nodes send them.
    ///
    /// A clock of the database that is set forward refills budgets.
    func checkBudgets(_ check: inout InvariantCheck) {
        guard let policy else { return }
        var spendings: [Phone: Spending] = [:]
        var steps = serverClockSteps[...]
        for push in pushes where push.isHigh && push.outcome == .accepted {
            while let step = steps.first, step.at <= push.writtenAt {
                for phone in spendings.keys { spendings[phone]?.fullAt -= max(0, step.microseconds) }
                steps.removeFirst()
            }
            guard let reference = push.activity, let record = activities[reference]?.record else { continue }
            let phone = Phone(
                shard: reference.adventureID.shard,
                playerID: record.playerID,
                frequentPushesEnabled: record.frequentPushesEnabled
            )
            let pace = policy.pace(frequentPushesEnabled: record.frequentPushesEnabled)
            let refill = pace.highRefill.wholeMicroseconds
            var spending = spendings[phone] ?? Spending()
            if spending.fullAt <= push.writtenAt { spending = Spending(fullAt: push.writtenAt, since: push.writtenAt) }
            spending.fullAt += refill
            if spending.fullAt > push.writtenAt + Int64(pace.highCapacity) * refill + Self.budgetTolerance {
                if failoverTimes.contains(where: (spending.since...push.writtenAt).contains) {
                    check.excuse(.spentBudget)
                } else {
                    check.findings.append(
                        "\(reference) got push \(push.id) at priority 10 beyond the budget of its phone"
                    )
                }
                spending.fullAt = push.writtenAt
            }
            spendings[phone] = spending
        }
    }
}
