import ArgumentParser
import CommandLineSupport
import Foundation
import PushCadence
import TestSupport
import Testing

@testable import Benchmarks

@Suite(.computing) struct CadenceTests {
    /// One party of eight with frequent pushes on every device.
    private var frequent: CadenceScenario { CadenceScenario(activities: 8, hours: 3, seed: 23) }
    /// Parties of every kind.
    private var mixed: CadenceScenario { CadenceScenario(activities: 24, hours: 2, seed: 3) }

    @Test func `a seed determines the report`() async throws {
        func json(_ scenario: CadenceScenario) async throws -> String {
            try CadenceBenchmark.report(await scenario.simulated(), of: scenario, checks: false).json
        }
        let first = try await json(mixed)
        #expect(try await json(mixed) == first)
        var other = mixed
        other.seed = 4
        other.activities = 25
        #expect(try await json(other) != first)
    }

    @Test func `the parties share the devices, about half of which have frequent pushes`() {
        let parties = CadenceScenario().parties
        let devices = parties.flatMap(\.devices)
        #expect(devices.count == 1_000)
        #expect(parties.allSatisfy { (1...8).contains($0.size) && Set($0.devices.map(\.seat)) == Set(0..<$0.size) })
        #expect(Set(parties.map(\.seed)).count == parties.count)
        #expect((400...600).contains(devices.count(where: \.isFrequent)))
        #expect(parties.contains { Set($0.devices.map(\.isFrequent)).count == 2 })
        // One player in four has two devices.
        #expect((740...860).contains(parties.reduce(0) { $0 + $1.size }))
    }

    @Test func `devices with frequent pushes get every alert at once, within their budget`() async {
        let records = await frequent.simulated()
        #expect(Set(records.devices.map(\.frequency)) == [.frequent])
        #expect(AlertCounts(records.alerts).delays.count > 20)
        #expect(CadenceBenchmark.failures(of: records) == [])
    }

    @Test func `the default policy loses no alert and keeps every device within its budget`() async {
        let records = await CadenceScenario(activities: 100, hours: 4, seed: 5).simulated()
        #expect(CadenceBenchmark.failures(of: records) == [])
    }

    /// Parties that set out at once have more alerts than a phone without frequent pushes has budget, of which the next
    /// dispatcher assumes the worst: some expire.
    @Test(arguments: [(60, true), (300, false), (600, false)])
    func `no device is over its budget, and no alert lost, while dispatchers crash in a loop`(
        spacing: Int,
        isBusy: Bool
    ) async {
        var scenario = CadenceScenario(activities: 100, hours: 4, seed: 5)
        scenario.isBusy = isBusy
        scenario.crashSpacing = .seconds(spacing)
        let records = await scenario.simulated()
        #expect(records.crashes > 20)
        #expect(records.devicesOverBudget == 0)
        #expect(isBusy || AlertCounts(records.alerts).lost == 0)
    }

    @Test func `a policy with more budget than devices grant exceeds their budget`() async {
        var scenario = mixed
        scenario.policy.standard.highCapacity = 100
        scenario.policy.standard.highRefill = .seconds(1)
        let records = await scenario.simulated()
        #expect(records.devicesOverBudget > 0)
        #expect(records.lostAlerts(.throttled) > 0)
    }

    @Test func `a policy with a tiny budget without a reserve loses alerts`() async {
        var scenario = mixed
        scenario.policy.frequent.highCapacity = CadencePolicy.personalReserve + 1
        scenario.policy.frequent.highRefill = .seconds(3_600)
        scenario.policy.frequent.alertReserve = CadencePolicy.personalReserve
        scenario.policy.standard = scenario.policy.frequent
        let records = await scenario.simulated()
        #expect(records.lostAlerts(.tooLate) > 0)
        #expect(records.devicesOverBudget == 0)
    }

    @Test func `a policy with a tiny queue loses alerts`() async {
        var scenario = frequent
        scenario.policy.maxQueuedAlerts = 1
        let records = await scenario.simulated()
        #expect(records.lostAlerts(.queueFull) > 0)
    }

    @Test func `a busy party sets out more often`() async {
        var busy = frequent
        busy.isBusy = true
        let calm = await frequent.simulated()
        #expect(await busy.simulated().adventures > calm.adventures)
    }

    @Test func `every alert, device and activity is counted`() async {
        let records = await mixed.simulated()
        let alerts = AlertCounts(records.alerts)
        #expect(alerts.total == records.alerts.count)
        #expect(alerts.lost == AlertLoss.allCases.reduce(0) { $0 + records.lostAlerts($1) })
        #expect(records.devices.count == 24)
        #expect(records.activities.count >= records.adventures)
    }

    @Test func `the JSON object has the promised fields`() async throws {
        let object = try CadenceBenchmark.report(await mixed.simulated(), of: mixed, checks: false).object
        #expect(
            object.keys.sorted() == [
                "activities", "activityGroups", "adventures", "alertDelaySeconds", "alerts", "alertsCancelled",
                "alertsDelivered", "alertsLost", "alertsRequired", "alertsStarved", "busy", "crashes", "deviceGroups",
                "devicesOverBudget", "hours", "losses", "players", "pushesThrottled", "seed", "staleness",
            ]
        )
        let delay = try #require(object["alertDelaySeconds"] as? [String: Any])
        #expect(delay.keys.sorted() == ["p50", "p99"])
        let staleness = try #require(object["staleness"] as? [[String: Any]])
        #expect(staleness.map { $0["flags"] as? String } == ["frequent", "standard"])
        #expect(staleness.allSatisfy { $0.keys.sorted() == ["flags", "p50", "p99"] })
        let rows = ["alerts", "activityGroups", "deviceGroups"].map { name in
            (object[name] as? [[String: Any]])?.first?.keys.sorted()
        }
        #expect(
            rows == [
                ["alert", "cancelled", "delay", "delivered", "flags", "lost", "starved"],
                ["activities", "adventure", "flags", "highPerHour", "lowPerHour", "staleness"],
                ["budgetPerHour", "devices", "flags", "overBudget", "peakPerHour", "throttled"],
            ]
        )
        for field in object.keys { #expect(CadenceBenchmark.configuration.discussion.contains(field)) }
    }

    @Test func `a check reports every failed condition`() throws {
        func report(_ records: CadenceRecords) -> Report {
            CadenceBenchmark.report(records, of: frequent, checks: true)
        }
        func alert(_ outcome: AlertOutcome) -> CadenceRecords.Alert {
            .init(name: "companionDown", frequency: .frequent, outcome: outcome)
        }
        var records = CadenceRecords()
        records.alerts = [alert(.delivered(.milliseconds(999)))]
        try report(records).check()

        records.alerts += [alert(.delivered(.seconds(1))), alert(.delivered(.seconds(1))), alert(.lost(.queueFull))]
        var budget = ModelledBudget(perHour: 0)
        _ = budget.receivesPush(at: CadenceScenario.start)
        records.devices = [.init(frequency: .standard, budget: budget)]
        let error = #expect(throws: BenchmarkFailure.self) { try report(records).check() }
        #expect(error?.exitStatus == .failed)
        #expect(
            error?.explanation == "1 alerts were lost. 1 devices were pushed beyond their budget. "
                + "The median delay of an alert is a second or more."
        )
        #expect(report(records).lines(fitting: nil).contains("Lost: 1 queueFull."))
    }

    @Test func `the command fails only with --check`() async throws {
        // Standard devices of a busy party spend their whole budget, and some alerts wait for too long.
        let arguments = ["--activities", "24", "--hours", "4", "--busy", "--json"]
        try await CadenceBenchmark.parse(arguments).run()
        let checking = try CadenceBenchmark.parse(arguments + ["--check"])
        await #expect(throws: BenchmarkFailure.self) { try await checking.run() }
    }
}
