import ArgumentParser
import CommandLineSupport
import Foundation
import PushCadence
import Testing

@testable import Benchmarks

@Suite struct CadenceTests {
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
        #expect(parties.reduce(0) { $0 + $1.frequentPushes.count } == 1_000)
        #expect(parties.allSatisfy { (1...8).contains($0.frequentPushes.count) })
        #expect(Set(parties.map(\.seed)).count == parties.count)
        let frequent = parties.reduce(0) { $0 + $1.frequentPushes.count(where: \.self) }
        #expect((400...600).contains(frequent))
        #expect(parties.contains { Set($0.frequentPushes).count == 2 })
    }

    @Test func `devices with frequent pushes get every alert at once, within their budget`() async {
        let tally = await frequent.simulated()
        #expect(Array(tally.devices.keys) == [.frequent])
        #expect(tally.allAlerts.delays.count > 20)
        #expect(CadenceBenchmark.failures(of: tally) == [])
    }

    @Test func `the default policy loses no alert and keeps every device within its budget`() async {
        let tally = await CadenceScenario(activities: 100, hours: 4, seed: 5).simulated()
        #expect(CadenceBenchmark.failures(of: tally) == [])
    }

    @Test func `a policy with more budget than devices grant exceeds their budget`() async {
        var scenario = mixed
        scenario.policy.standard.highCapacity = 100
        scenario.policy.standard.highRefill = .seconds(1)
        let tally = await scenario.simulated()
        #expect(tally.devicesOverBudget > 0)
        #expect(tally.losses[.throttled, default: 0] > 0)
    }

    @Test func `a policy with a tiny budget without a reserve loses alerts`() async {
        var scenario = mixed
        scenario.policy.frequent.highCapacity = CadencePolicy.personalReserve + 1
        scenario.policy.frequent.highRefill = .seconds(3_600)
        scenario.policy.frequent.alertReserve = CadencePolicy.personalReserve
        scenario.policy.standard = scenario.policy.frequent
        let tally = await scenario.simulated()
        #expect(tally.losses[.tooLate, default: 0] > 0)
        #expect(tally.devicesOverBudget == 0)
    }

    @Test func `a policy with a tiny queue loses alerts`() async {
        var scenario = frequent
        scenario.policy.maxQueuedAlerts = 1
        let tally = await scenario.simulated()
        #expect(tally.losses[.queueFull, default: 0] > 0)
    }

    @Test func `a busy party sets out more often`() async {
        var busy = frequent
        busy.isBusy = true
        let calm = await frequent.simulated()
        #expect(await busy.simulated().adventures > calm.adventures)
    }

    @Test func `every alert has one outcome, and every activity is counted`() async {
        let tally = await mixed.simulated()
        #expect(tally.allAlerts.total == tally.alerts.values.reduce(0) { $0 + $1.total })
        #expect(tally.allAlerts.lost == tally.losses.values.reduce(0, +))
        #expect(tally.devices.values.reduce(0) { $0 + $1.count } == 24)
        #expect(tally.activities.values.reduce(0) { $0 + $1.count } >= tally.adventures)
    }

    @Test func `the JSON object has the promised fields`() async throws {
        let object = try CadenceBenchmark.report(await mixed.simulated(), of: mixed, checks: false).object
        #expect(
            object.keys.sorted() == [
                "activities", "adventures", "alertDelaySeconds", "alerts", "alertsCancelled", "alertsDelivered",
                "alertsLost", "alertsOutwaited", "alertsOwed", "busy", "cards", "devicesOverBudget", "hours", "losses",
                "phones", "pushesThrottled", "seed", "staleness",
            ]
        )
        let delay = try #require(object["alertDelaySeconds"] as? [String: Any])
        #expect(delay.keys.sorted() == ["p50", "p99"])
        let staleness = try #require(object["staleness"] as? [[String: Any]])
        #expect(staleness.map { $0["flags"] as? String } == ["frequent", "standard"])
        #expect(staleness.allSatisfy { $0.keys.sorted() == ["flags", "p50", "p99"] })
        let rows = ["alerts", "cards", "phones"].map { (object[$0] as? [[String: Any]])?.first?.keys.sorted() }
        #expect(
            rows == [
                ["alert", "cancelled", "delay", "delivered", "flags", "lost", "outwaited"],
                ["adventure", "cards", "flags", "highPerHour", "lowPerHour", "staleness"],
                ["budgetPerHour", "flags", "overBudget", "peakPerHour", "phones", "throttled"],
            ]
        )
        for field in object.keys { #expect(CadenceBenchmark.configuration.discussion.contains(field)) }
    }

    @Test func `a check reports every failed condition`() throws {
        func report(_ tally: CadenceTally) -> Report { CadenceBenchmark.report(tally, of: frequent, checks: true) }
        var tally = CadenceTally()
        tally.count(.companionDown, on: .frequent, .delivered(.milliseconds(999)))
        try report(tally).check()

        tally.count(.companionDown, on: .frequent, .delivered(.seconds(1)))
        tally.count(.companionDown, on: .frequent, .delivered(.seconds(1)))
        tally.count(.ownTurn, on: .frequent, .lost(.queueFull))
        var budget = ModelledBudget(perHour: 0)
        _ = budget.receivesPush(at: CadenceScenario.start)
        tally.count(budget, of: .standard)
        let error = #expect(throws: BenchmarkFailure.self) { try report(tally).check() }
        #expect(error?.exitStatus == .failed)
        #expect(
            error?.explanation == "1 alerts were lost. 1 devices were pushed beyond their budget. "
                + "The median delay of an alert is a second or more."
        )
        #expect(report(tally).lines(fitting: nil).contains("Lost: 1 queueFull."))
    }

    @Test func `the command fails only with --check`() async throws {
        // Standard devices of a busy party spend their whole budget.
        let arguments = ["--activities", "24", "--hours", "2", "--busy", "--json"]
        try await CadenceBenchmark.parse(arguments).run()
        let checking = try CadenceBenchmark.parse(arguments + ["--check"])
        await #expect(throws: BenchmarkFailure.self) { try await checking.run() }
    }
}
