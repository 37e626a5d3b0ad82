import ArgumentParser
import CommandLineSupport
import Foundation
import PushCadence
import Testing

@testable import Benchmarks

@Suite struct CadenceTests {
    /// One party of eight, whose phones all have frequent pushes.
    private var frequent: CadenceScenario { CadenceScenario(activities: 8, hours: 3, seed: 23) }
    /// Some parties of every kind.
    private var mixed: CadenceScenario { CadenceScenario(activities: 24, hours: 2, seed: 3) }

    @Test func `the same seed gives the same report, and another one another`() async throws {
        let first = try ReportOptions.json(of: await CadenceReport(simulating: mixed))
        #expect(try ReportOptions.json(of: await CadenceReport(simulating: mixed)) == first)
        var other = mixed
        other.seed = 4
        #expect(try ReportOptions.json(of: await CadenceReport(simulating: other)) != first)
    }

    @Test func `the parties share the phones, and about half of these have frequent pushes`() {
        let parties = CadenceScenario().parties
        #expect(parties.reduce(0) { $0 + $1.frequentPushes.count } == 1_000)
        #expect(parties.allSatisfy { (1...8).contains($0.frequentPushes.count) })
        #expect(Set(parties.map(\.seed)).count == parties.count)
        let frequent = parties.reduce(0) { $0 + $1.frequentPushes.count(where: \.self) }
        #expect((400...600).contains(frequent))
        #expect(parties.contains { Set($0.frequentPushes).count == 2 })
    }

    @Test func `phones with frequent pushes get every alert at once, and keep to their budget`() async throws {
        let report = await CadenceReport(simulating: frequent)
        #expect(report.phones.map(\.flags) == [.frequent])
        #expect(report.alerts.delivered > 20)
        try report.check()
    }

    @Test func `the defaults lose no alert and keep every phone within its budget`() async throws {
        try await CadenceReport(simulating: CadenceScenario(activities: 100, hours: 4, seed: 5)).check()
    }

    @Test func `a policy that spends what no phone grants goes over the budget of phones`() async {
        var scenario = mixed
        scenario.policy.standard.highCapacity = 100
        scenario.policy.standard.highRefill = .seconds(1)
        let report = await CadenceReport(simulating: scenario)
        #expect(report.devicesOverBudget > 0)
        #expect(report.tally.losses[.throttled, default: 0] > 0)
        #expect(throws: FailedCadence.self) { try report.check() }
    }

    @Test func `a policy with a tiny budget without a reserve loses alerts`() async {
        var scenario = mixed
        scenario.policy.frequent.highCapacity = CadencePolicy.personalReserve + 1
        scenario.policy.frequent.highRefill = .seconds(3_600)
        scenario.policy.frequent.alertReserve = CadencePolicy.personalReserve
        scenario.policy.standard = scenario.policy.frequent
        let report = await CadenceReport(simulating: scenario)
        #expect(report.tally.losses[.tooLate, default: 0] > 0)
        #expect(report.devicesOverBudget == 0)
        #expect(throws: FailedCadence.self) { try report.check() }
    }

    @Test func `a policy with a tiny queue loses alerts`() async {
        var scenario = frequent
        scenario.policy.alertQueueBound = 1
        let report = await CadenceReport(simulating: scenario)
        #expect(report.tally.losses[.queueFull, default: 0] > 0)
    }

    @Test func `a busy party sets out more often`() async {
        var busy = frequent
        busy.isBusy = true
        let calm = await CadenceReport(simulating: frequent)
        #expect(await CadenceReport(simulating: busy).tally.adventures > calm.tally.adventures)
    }

    @Test func `every alert has one fate, and every card is counted`() async {
        let report = await CadenceReport(simulating: mixed)
        let alerts = report.alerts
        #expect(alerts.owed == report.alertRows.reduce(0) { $0 + $1.owed })
        #expect(alerts.lost == report.losses.reduce(0) { $0 + $1.alerts })
        #expect(report.phones.reduce(0) { $0 + $1.phones } == 24)
        #expect(report.cards.reduce(0) { $0 + $1.cards } >= report.tally.adventures)
    }

    @Test func `a report in JSON has the fields that scripts are promised`() async throws {
        let json = try ReportOptions.json(of: await CadenceReport(simulating: mixed))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "activities", "adventures", "alertDelaySeconds", "alerts", "alertsCancelled", "alertsDelivered",
                "alertsLost", "alertsOutwaited", "alertsOwed", "busy", "cards", "devicesOverBudget", "hours", "losses",
                "phones",
                "pushesThrottled", "seed", "staleness",
            ]
        )
        let delay = try #require(object["alertDelaySeconds"] as? [String: Any])
        #expect(delay.keys.sorted() == ["p50", "p99"])
        let staleness = try #require(object["staleness"] as? [[String: Any]])
        #expect(staleness.map { $0["flags"] as? String } == ["frequent", "standard"])
        #expect(staleness.allSatisfy { $0.keys.sorted() == ["flags", "p50", "p99"] })
        for field in object.keys { #expect(CadenceCommand.configuration.discussion.contains(field)) }
    }

    @Test func `a check tells everything that does not hold`() throws {
        var tally = CadenceTally()
        tally.count(.companionDown, on: .frequent, .delivered(.milliseconds(999)))
        try CadenceReport(scenario: frequent, tally: tally).check()

        tally.count(.companionDown, on: .frequent, .delivered(.seconds(1)))
        tally.count(.companionDown, on: .frequent, .delivered(.seconds(1)))
        tally.count(.ownTurn, on: .frequent, .lost(.queueFull))
        var budget = DeviceBudget(perHour: 0)
        _ = budget.letsThrough(at: CadenceScenario.beginning)
        tally.count(budget, of: .standard)
        let report = CadenceReport(scenario: frequent, tally: tally)
        let error = #expect(throws: FailedCadence.self) { try report.check() }
        #expect(error?.exitStatus == .failed)
        #expect(
            error?.explanation == "1 alerts were lost. 1 phones were pushed beyond their budget. "
                + "The median delay of an alert is a second or more."
        )
        #expect(report.lines(fitting: nil).contains("Lost: 1 queueFull."))
    }

    @Test func `the command fails only where a check was asked for`() async throws {
        // Standard phones of a busy party ask more than there is.
        let arguments = ["--activities", "24", "--hours", "2", "--busy", "--json"]
        try await CadenceCommand.parse(arguments).run()
        let checking = try CadenceCommand.parse(arguments + ["--check"])
        await #expect(throws: FailedCadence.self) { try await checking.run() }
    }
}
