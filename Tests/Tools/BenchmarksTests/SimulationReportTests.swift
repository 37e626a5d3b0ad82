import ArgumentParser
import Foundation
import Testing

@testable import Benchmarks
@testable import Simulation

@Suite struct SimulationReportTests {
    private func result(seed: UInt64, _ breaches: Breach...) -> Simulation.Result {
        Simulation.Result(
            seed: seed,
            breaches: breaches,
            trace: Trace(isKept: false),
            events: 10,
            pushes: 5,
            disturbances: 2,
            virtualTime: .seconds(30)
        )
    }

    @Test func `the object for scripts has every violation, by seed`() throws {
        var report = SimulationReport()
        let lost = Breach(invariant: 1, finding: "an event is lost")
        report.add(result(seed: 9, lost, Breach(invariant: 4, finding: "a push is owed")))
        report.add(result(seed: 8))
        report.add(result(seed: 7, lost))
        let json = try ReportOptions.json(of: report)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["seeds"] as? Int == 3 && object["failed"] as? Int == 2)
        #expect(
            object["violations"] as? [String] == [
                "seed 7: invariant 1: an event is lost", "seed 9: invariant 1: an event is lost",
                "seed 9: invariant 4: a push is owed",
            ]
        )
        let failures = try #require(object["failures"] as? [[String: Any]])
        #expect(failures.map { $0["seed"] as? Int } == [7, 9])
        for field in object.keys { #expect(SimulateCommand.configuration.discussion.contains(field)) }
    }

    @Test func `nothing is violated where every seed went well`() throws {
        var report = SimulationReport()
        report.add(result(seed: 1))
        let json = try ReportOptions.json(of: report)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["violations"] as? [String] == [] && object["seeds"] as? Int == 1)
    }
}
