import ArgumentParser
import Encodings
import GameCore
import PushCadence

/// `rangers-bench cadence`: checks that devices are kept up to date within their push budget.
struct CadenceBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "cadence",
        abstract: "Simulates hours of adventures, APNs and devices in virtual time, and reports delays and losses.",
        discussion: """
            Adventures, push rules and cadence, with its default policy, are the real ones; players, network and devices \
            are drawn from the seed. The same arguments give the same numbers on every machine and in every build. \
            Parties of 1 to 8 set out about once an hour, with --busy right after each adventure. One player in four has \
            two devices, each with a budget of its own. About half of the devices have frequent pushes. With \
            --crash-every, each party's dispatcher crashes again and again, and another goes on 2 s later with what is \
            stored. A device is assumed to let \(ModelledBudget.standardPerHour) pushes of priority \
            10 through per hour, and \(ModelledBudget.frequentPerHour) with frequent pushes; Apple does not publish the \
            real numbers.

            An alert is delivered when APNs has accepted it and the device has let it through, cancelled when its reason \
            was gone before it was sent (under NO BUDGET if the device's budget was spent until then), and lost \
            otherwise. An activity is stale from a change until a push that shows it is accepted; a device may hold a \
            push of priority 5 back for longer.

            JSON: {activities, players, hours, seed, busy, crashes, adventures, alertsRequired, alertsDelivered, alertsCancelled, \
            alertsStarved, alertsLost, alertDelaySeconds: {p50, p99}, devicesOverBudget, pushesThrottled, staleness: \
            [{flags, p50, p99}], alerts: [{alert, flags, delivered, cancelled, starved, lost, delay: {p50, p99}}], \
            losses: [{reason, alerts}], activityGroups: [{flags, adventure, activities, highPerHour, lowPerHour, \
            staleness: {p50, p99}}], deviceGroups: [{flags, devices, budgetPerHour, peakPerHour, overBudget, throttled}]}; \
            delays and staleness are in seconds.
            """
    )

    @Option(help: ArgumentHelp("The number of devices; each has one activity per adventure.", valueName: "count"))
    var activities = 1_000

    @Option(help: ArgumentHelp("The virtual time during which parties set out.", valueName: "hours")) var hours = 10

    @Option(help: ArgumentHelp("The seed of everything random.", valueName: "seed")) var seed: UInt64 = 1

    @Flag(help: "Let parties set out again right after each adventure.") var busy = false

    @Option(
        help: ArgumentHelp("Let dispatchers crash so often, from half to one and a half times.", valueName: "seconds")
    )
    var crashEvery: Int?

    @Flag(
        help: "Exit with status 1 for a lost alert, a device over its budget, or a median alert delay of 1 s or more."
    )
    var check = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--activities", activities, in: 1...100_000)
        try Self.check("--hours", hours, in: 1...100)
        if let crashEvery { try Self.check("--crash-every", crashEvery, in: 20...86_400) }
    }

    func measure() async throws -> Report {
        var scenario = CadenceScenario(activities: activities, hours: hours, seed: seed, isBusy: busy)
        scenario.crashSpacing = crashEvery.map { .seconds($0) }
        return Self.report(await scenario.simulated(), of: scenario, checks: check)
    }

    /// Returns the conditions that do not hold.
    static func failures(of records: CadenceRecords) -> [String] {
        let alerts = AlertCounts(records.alerts)
        let overBudget = records.devicesOverBudget
        return [
            alerts.lost == 0 ? nil : "\(alerts.lost) alerts were lost.",
            overBudget == 0 ? nil : "\(overBudget) devices were pushed beyond their budget.",
            alerts.delays.percentiles.p50 < 1 ? nil : "The median delay of an alert is a second or more.",
        ].compactMap(\.self)
    }

    /// Returns the report of a simulation.
    static func report(_ records: CadenceRecords, of scenario: CadenceScenario, checks: Bool) -> Report {
        let all = AlertCounts(records.alerts)
        let alertRows = groups(records.alerts) { [$0.name, $0.frequency.rawValue] }.map { alerts in
            AlertCounts(alerts).row(alerts[0].name, alerts[0].frequency.rawValue)
        }
        let activities = groups(records.activities) { [$0.frequency.rawValue, $0.adventure.rawValue] }
        let losses = AlertLoss.allCases.map { ($0.rawValue, records.lostAlerts($0)) }.filter { $0.1 > 0 }
        var report = Report()
        report.set([
            "activities": scenario.activities, "players": records.players, "hours": scenario.hours,
            "seed": scenario.seed, "busy": scenario.isBusy, "crashes": records.crashes,
            "adventures": records.adventures, "alertsRequired": all.total,
            "alertsDelivered": all.delays.count, "alertsCancelled": all.cancelled, "alertsStarved": all.starved,
            "alertsLost": all.lost, "alertDelaySeconds": all.delays.percentiles,
            "devicesOverBudget": records.devicesOverBudget,
            "pushesThrottled": records.devices.reduce(0) { $0 + $1.budget.throttled },
        ])
        report.set(
            "staleness",
            PushFrequency.allCases.map { frequency -> Report.Row in
                let percentiles = records.activities.lazy.filter { $0.frequency == frequency }.staleness.percentiles
                return [.value("flags", frequency), .value("p50", percentiles.p50), .value("p99", percentiles.p99)]
            }
        )
        report.set("alerts", alertRows)
        report.add(alertRows + [all.row("all", "all")])
        report.add(activities.map(\.row), as: "activityGroups")
        report.add(groups(records.devices) { [$0.frequency.rawValue] }.map(\.row), as: "deviceGroups")
        report.set("losses", losses.map { [.value("reason", $0.0), .value("alerts", $0.1)] as Report.Row })
        let failures = failures(of: records)
        if checks { for failure in failures { report.fail(failure) } }
        report.add(
            (losses.isEmpty ? [] : ["Lost: \(losses.map { "\($0.1) \($0.0)" }.joined(separator: ", "))."])
                + (failures.isEmpty
                    ? [
                        "No alert was lost, no device was pushed beyond its budget; the median alert took under a second."
                    ] : failures)
        )
        return report
    }

    /// Groups records by their names, in alphabetical order.
    private static func groups<Record>(_ records: [Record], by names: (Record) -> [String]) -> [[Record]] {
        Dictionary(grouping: records, by: names).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }
}

/// The parameters of a simulation.
///
/// Parties of 1 to 8 share the devices; one player in four has two. A third of the parties has frequent pushes on every
/// device, a third on none, and a third has them at random. Each party sets out within the first hour, and again 20 to 60 min after each
/// adventure, on a journey or into a boss fight with equal probability.
struct CadenceScenario: Hashable, Sendable {
    /// The number of devices; each has one activity at a time, a new one for every adventure.
    var activities = 1_000
    /// The time during which parties set out; running adventures are then played to their end.
    var hours = 10
    var seed: UInt64 = 1
    /// Whether parties set out again right after each adventure.
    var isBusy = false
    /// The mean time between two crashes of a party's dispatcher; nil for none.
    var crashSpacing: Duration?
    var policy = CadencePolicy()

    /// The beginning of the simulation, an arbitrary moment.
    static let start = Timestamp(epochSeconds: 1_800_000_000)

    var lastSetOut: Timestamp { Self.start + .seconds(hours * 60 * 60) }

    /// The parties, with `activities` devices altogether.
    var parties: [CadenceParty] {
        var generator = Generator(seed: seed)
        var parties: [CadenceParty] = []
        var left = activities
        while left > 0 {
            let size = min(1 + generator.number(below: Party.maxCapacity), left)
            let kind = parties.count % 3
            var devices: [CadenceParty.Device] = []
            for seat in 0..<size {
                let hasTwo = generator.number(below: 4) == 0 && devices.count + size - seat < left
                for _ in 0..<(hasTwo ? 2 : 1) {
                    let isFrequent = kind == 2 ? generator.number(below: 2) == 0 : kind == 0
                    devices.append(CadenceParty.Device(seat: seat, isFrequent: isFrequent))
                }
            }
            let seed = UInt64(generator.number(below: .max))
            parties.append(CadenceParty(size: size, devices: devices, seed: seed))
            left -= devices.count
        }
        return parties
    }

    /// Simulates all parties on all cores.
    ///
    /// Parties share nothing, so the numbers do not depend on the order of execution.
    func simulated() async -> CadenceRecords {
        let parties = parties
        let results = await concurrently(parties.count, priority: .utility) { number in
            CadenceSimulation(parties[number], of: self).run()
        }
        return results.reduce(into: CadenceRecords()) { $0 += $1 }
    }
}

/// One party of a scenario.
struct CadenceParty: Hashable, Sendable {
    /// A device of one of the players.
    struct Device: Hashable, Sendable {
        let seat: Int
        let isFrequent: Bool
    }

    /// The number of players.
    let size: Int
    let devices: [Device]
    let seed: UInt64
}
