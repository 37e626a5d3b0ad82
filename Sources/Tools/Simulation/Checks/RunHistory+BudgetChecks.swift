import Encodings
import GameCore
import PushCadence

extension RunHistory {
    /// A device of a player, whose activities are all in one shard in a run.
    private struct Device: Hashable {
        let playerID: PlayerID
        let deviceID: DeviceID
    }

    /// The pushes that a device got at priority 10.
    private struct Spending {
        /// When the device's budget is full again.
        var fullAt = Int64.min
        /// The first push since it was full.
        var since: Int64 = 0
    }

    /// How much later than decided, or how much earlier than the one before, a push may be written: pushes wait in the
    /// client for up to six seconds.
    private static let budgetTolerance: Int64 = 10_000_000

    /// Checks that no device gets more pushes at priority 10 than its budget allows, whichever nodes send them.
    ///
    /// A clock of the database that is set forward refills budgets.
    func checkBudgets(_ check: inout InvariantCheck) {
        guard let policy else { return }
        var spendings: [Device: Spending] = [:]
        var steps = serverClockSteps[...]
        for push in pushes where push.isHigh && push.outcome == .accepted {
            while let step = steps.first, step.at <= push.writtenAt {
                for device in spendings.keys { spendings[device]?.fullAt -= max(0, step.microseconds) }
                steps.removeFirst()
            }
            guard let reference = push.activity, let record = activities[reference]?.record else { continue }
            let device = Device(playerID: record.playerID, deviceID: record.deviceID)
            let pace = policy.pace(frequentPushesEnabled: record.frequentPushesEnabled)
            let refill = pace.highRefill.wholeMicroseconds
            var spending = spendings[device] ?? Spending()
            if spending.fullAt <= push.writtenAt { spending = Spending(fullAt: push.writtenAt, since: push.writtenAt) }
            spending.fullAt += refill
            if spending.fullAt > push.writtenAt + Int64(pace.highCapacity) * refill + Self.budgetTolerance {
                if failoverTimes.contains(where: (spending.since...push.writtenAt).contains) {
                    check.excuse(.spentBudget)
                } else {
                    check.findings.append(
                        "\(reference) got push \(push.id) at priority 10 beyond the budget of its device"
                    )
                }
                spending.fullAt = push.writtenAt
            }
            spendings[device] = spending
        }
    }

    /// Checks that no device gets more starts than a party's share, nor two of one adventure.
    ///
    /// The players of a run are in one party each, and a run is shorter than an hour. A clock that is set forward, and a
    /// database that loses claims, allow more.
    func checkStarts(_ check: inout InvariantCheck) {
        guard let policy, failoverTimes.isEmpty, !serverClockSteps.contains(where: { $0.microseconds > 0 }) else {
            return
        }
        for (deviceID, starts) in Dictionary(grouping: starts, by: \.deviceID).sorted(by: { $0.key < $1.key }) {
            check.checkedCount += starts.count
            if starts.count > policy.pushToStart.partyHourlyBudget {
                check.findings.append("device \(deviceID) got \(starts.count) starts, more than a party's share")
            }
            if Set(starts.map(\.adventureID)).count < starts.count {
                check.findings.append("device \(deviceID) got two starts of one adventure")
            }
        }
    }
}
