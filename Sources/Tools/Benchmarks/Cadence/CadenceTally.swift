import GameCore

/// The counts of a simulation; counts of several parties can be added in any order.
struct CadenceTally {
    /// The activities of one kind of adventure on one kind of device.
    struct Activities: Hashable, Sendable {
        var count = 0
        /// The total time from start to end.
        var lifetime = Duration.zero
        var highPushes = 0
        var lowPushes = 0
        /// The time from each change to the push that showed it.
        var staleness = DelaySamples()

        mutating func add(_ others: Self) {
            count += others.count
            lifetime += others.lifetime
            highPushes += others.highPushes
            lowPushes += others.lowPushes
            staleness.add(others.staleness)
        }

        func row(_ key: CadenceActivityKey) -> Report.Row {
            let hours = lifetime / .seconds(60 * 60)
            return .init(
                [
                    .text("flags", "DEVICES", key.frequency.rawValue),
                    .text("adventure", "ADVENTURES", key.adventure.rawValue), .count("cards", "ACTIVITIES", count),
                    .number("highPerHour", "PRIORITY 10 PER HOUR", Double(highPushes) / hours, digits: 1),
                    .number("lowPerHour", "PRIORITY 5", Double(lowPushes) / hours, digits: 1),
                ] + staleness.fields("staleness", "STALE s")
            )
        }
    }

    /// The alerts of one kind.
    struct Alerts: Hashable, Sendable {
        /// The delays of the delivered alerts, from the event to APNs's response.
        var delays = DelaySamples()
        var cancelled = 0
        var outwaited = 0
        var lost = 0

        var total: Int { delays.count + cancelled + outwaited + lost }

        mutating func add(_ others: Self) {
            delays.add(others.delays)
            cancelled += others.cancelled
            outwaited += others.outwaited
            lost += others.lost
        }

        /// Returns the row of one kind of alerts, or of all alerts for nil.
        func row(_ key: AlertKey?) -> Report.Row {
            .init(
                [
                    .text("alert", "ALERT", key?.subject.rawValue ?? "all"),
                    .text("flags", "DEVICES", key?.frequency.rawValue ?? "all"), .count(nil, "ALERTS", total),
                    .count("delivered", "DELIVERED", delays.count), .count("cancelled", "CANCELLED", cancelled),
                    .count("outwaited", "NO BUDGET", outwaited), .count("lost", "LOST", lost),
                ] + delays.fields("delay", "DELAY s")
            )
        }
    }

    /// The devices of one kind.
    struct Devices: Hashable, Sendable {
        var count = 0
        /// The number of devices that were pushed beyond their budget.
        var overBudget = 0
        /// The number of pushes that a device dropped because its budget was spent.
        var throttled = 0
        /// The maximum number of pushes of priority 10 to one device within an hour.
        var peak = 0

        mutating func add(_ others: Self) {
            count += others.count
            overBudget += others.overBudget
            throttled += others.throttled
            peak = max(peak, others.peak)
        }

        func row(_ frequency: PushFrequency) -> Report.Row {
            [
                .text("flags", "DEVICES", frequency.rawValue), .count("phones", "COUNT", count),
                .count("budgetPerHour", "BUDGET/h", frequency.budgetPerHour),
                .count("peakPerHour", "BUSIEST HOUR", peak), .count("overBudget", "OVER BUDGET", overBudget),
                .count("throttled", "THROTTLED", throttled),
            ]
        }
    }

    var adventures = 0
    var activities: [CadenceActivityKey: Activities] = [:]
    private(set) var alerts: [AlertKey: Alerts] = [:]
    private(set) var losses: [AlertLoss: Int] = [:]
    private(set) var devices: [PushFrequency: Devices] = [:]

    /// The sum of all alerts.
    var allAlerts: Alerts { alerts.values.reduce(into: Alerts()) { $0.add($1) } }

    var devicesOverBudget: Int { devices.values.reduce(0) { $0 + $1.overBudget } }

    /// Returns the staleness of all activities on one kind of device.
    func staleness(_ frequency: PushFrequency) -> DelaySamples {
        activities.filter { $0.key.frequency == frequency }.values.reduce(into: DelaySamples()) { $0.add($1.staleness) }
    }

    mutating func count(_ subject: AlertSubject, on frequency: PushFrequency, _ outcome: AlertOutcome) {
        let key = AlertKey(subject: subject, frequency: frequency)
        switch outcome {
        case .delivered(let delay): alerts[key, default: Alerts()].delays.add(delay)
        case .cancelled: alerts[key, default: Alerts()].cancelled += 1
        case .outwaited: alerts[key, default: Alerts()].outwaited += 1
        case .lost(let reason):
            alerts[key, default: Alerts()].lost += 1
            losses[reason, default: 0] += 1
        }
    }

    mutating func count(_ budget: ModelledBudget, of frequency: PushFrequency) {
        let device = Devices(
            count: 1,
            overBudget: budget.throttled > 0 ? 1 : 0,
            throttled: budget.throttled,
            peak: budget.peak
        )
        devices[frequency, default: Devices()].add(device)
    }

    mutating func add(_ other: Self) {
        adventures += other.adventures
        for (key, more) in other.activities { activities[key, default: Activities()].add(more) }
        for (key, more) in other.alerts { alerts[key, default: Alerts()].add(more) }
        for (reason, more) in other.losses { losses[reason, default: 0] += more }
        for (frequency, more) in other.devices { devices[frequency, default: Devices()].add(more) }
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

/// The alerts that are counted together.
struct AlertKey: Hashable, Sendable {
    let subject: AlertSubject
    let frequency: PushFrequency

    static let all = AlertSubject.allCases.flatMap { subject in
        PushFrequency.allCases.map { Self(subject: subject, frequency: $0) }
    }
}

/// The activities that are counted together.
struct CadenceActivityKey: Hashable, Sendable {
    let frequency: PushFrequency
    let adventure: AdventureKind

    static let all = PushFrequency.allCases.flatMap { frequency in
        AdventureKind.allCases.map { Self(frequency: frequency, adventure: $0) }
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
