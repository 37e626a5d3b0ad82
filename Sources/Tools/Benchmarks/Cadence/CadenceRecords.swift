import GameCore

/// The records of a simulation; those of several parties can be added in any order.
struct CadenceRecords: Sendable {
    /// An activity that has ended.
    struct Activity: Sendable {
        let frequency: PushFrequency
        let adventure: AdventureKind
        /// The time from start to end.
        var lifetime = Duration.zero
        var highPushes = 0
        var lowPushes = 0
        /// The time from each change to the push that showed it.
        var staleness = DelaySamples()
    }

    /// An alert that a rule required.
    struct Alert: Sendable {
        /// The kind of alert, without its hero.
        let name: String
        let frequency: PushFrequency
        let outcome: AlertOutcome
    }

    struct Device: Sendable {
        let frequency: PushFrequency
        let budget: ModelledBudget
    }

    var adventures = 0
    var players = 0
    /// The number of times that a dispatcher crashed.
    var crashes = 0
    var activities: [Activity] = []
    var alerts: [Alert] = []
    var devices: [Device] = []

    /// The number of devices that were pushed beyond their budget.
    var devicesOverBudget: Int { devices.count { $0.budget.throttled > 0 } }

    /// Returns the number of alerts that were lost for a reason.
    func lostAlerts(_ reason: AlertLoss) -> Int { alerts.count { $0.outcome == .lost(reason) } }

    static func += (left: inout Self, right: Self) {
        left.adventures += right.adventures
        left.players += right.players
        left.crashes += right.crashes
        left.activities += right.activities
        left.alerts += right.alerts
        left.devices += right.devices
    }
}

extension Sequence<CadenceRecords.Activity> {
    /// The staleness of all activities.
    var staleness: DelaySamples { reduce(into: DelaySamples()) { $0.add($1.staleness) } }
}

extension [CadenceRecords.Activity] {
    /// Returns the row of activities of one kind of adventure on one kind of device.
    var row: Report.Row {
        let hours = reduce(Duration.zero) { $0 + $1.lifetime } / Duration.seconds(60 * 60)
        let (high, low) = (reduce(0) { $0 + $1.highPushes }, reduce(0) { $0 + $1.lowPushes })
        return .init(
            [
                .text("flags", "DEVICES", self[0].frequency.rawValue),
                .text("adventure", "ADVENTURES", self[0].adventure.rawValue),
                .count("activities", "ACTIVITIES", count),
                .number("highPerHour", "PRIORITY 10 PER HOUR", Double(high) / hours, digits: 1),
                .number("lowPerHour", "PRIORITY 5", Double(low) / hours, digits: 1),
            ] + staleness.fields("staleness", "STALE s")
        )
    }
}

extension [CadenceRecords.Device] {
    /// The row of devices of one kind.
    var row: Report.Row {
        let frequency = self[0].frequency
        return [
            .text("flags", "DEVICES", frequency.rawValue), .count("devices", "COUNT", count),
            .count("budgetPerHour", "BUDGET/h", frequency.budgetPerHour),
            .count("peakPerHour", "BUSIEST HOUR", map(\.budget.peak).max()),
            .count("overBudget", "OVER BUDGET", self.count { $0.budget.throttled > 0 }),
            .count("throttled", "THROTTLED", reduce(0) { $0 + $1.budget.throttled }),
        ]
    }
}

/// The number of alerts with each outcome.
struct AlertCounts {
    /// The delays of the delivered alerts, from the event to APNs's response.
    private(set) var delays = DelaySamples()
    private(set) var cancelled = 0
    private(set) var starved = 0
    private(set) var lost = 0

    init(_ alerts: [CadenceRecords.Alert]) {
        for alert in alerts {
            switch alert.outcome {
            case .delivered(let delay): delays.add(delay)
            case .cancelled: cancelled += 1
            case .starved: starved += 1
            case .lost: lost += 1
            }
        }
    }

    var total: Int { delays.count + cancelled + starved + lost }

    /// Returns the row of the alerts of one kind on one kind of device.
    func row(_ alert: String, _ devices: String) -> Report.Row {
        .init(
            [
                .text("alert", "ALERT", alert), .text("flags", "DEVICES", devices), .count(nil, "ALERTS", total),
                .count("delivered", "DELIVERED", delays.count), .count("cancelled", "CANCELLED", cancelled),
                .count("starved", "NO BUDGET", starved), .count("lost", "LOST", lost),
            ] + delays.fields("delay", "DELAY s")
        )
    }
}

/// The push frequency of a device: its `frequentPushesEnabled`.
enum PushFrequency: String, Encodable, CaseIterable {
    case frequent
    case standard

    /// The number of pushes of priority 10 that such a device accepts per hour.
    var budgetPerHour: Int {
        switch self {
        case .frequent: ModelledBudget.frequentPerHour
        case .standard: ModelledBudget.standardPerHour
        }
    }
}

/// Delays in whole milliseconds, so that percentiles are the same on every machine.
struct DelaySamples: Hashable, Sendable {
    /// Percentiles in seconds; zero without samples.
    struct Percentiles: Encodable, Hashable, Sendable {
        let p50: Double
        let p99: Double
    }

    private var milliseconds: [Int32] = []

    var count: Int { milliseconds.count }

    /// Adds a delay from zero to three weeks.
    mutating func add(_ delay: Duration) { milliseconds.append(Int32(delay / .milliseconds(1))) }

    mutating func add(_ others: Self) { milliseconds += others.milliseconds }

    var percentiles: Percentiles {
        guard !milliseconds.isEmpty else { return Percentiles(p50: 0, p99: 0) }
        func seconds(_ percent: Int) -> Double { Double(milliseconds.percentile(percent)) / 1_000 }
        return Percentiles(p50: seconds(50), p99: seconds(99))
    }

    /// Returns the percentiles as one JSON field and two columns.
    func fields(_ name: String, _ title: String) -> [Report.Field] {
        let percentiles = percentiles
        return [
            .value(name, percentiles), .number(nil, "\(title) 50%", percentiles.p50, digits: 2),
            .number(nil, "99%", percentiles.p99, digits: 2),
        ]
    }
}
