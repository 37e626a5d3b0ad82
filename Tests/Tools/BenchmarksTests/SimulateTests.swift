import ArgumentParser
import Foundation
import Testing

@testable import Benchmarks
@testable import Simulation

@Suite struct SimulateTests {
    private func result(seed: UInt64, events: Int = 10, _ violations: InvariantViolation...) -> Simulation.Result {
        Simulation.Result(
            seed: seed,
            violations: violations,
            excused: [.repeatedEnd: 2],
            trace: Trace(keepsLines: false),
            followerLines: [],
            events: events,
            pushes: 5,
            faults: 2,
            virtualTime: .seconds(30)
        )
    }

    @Test func `a run in which no player plays fails`() {
        let idle = (1...20).map { result(seed: $0, events: 0) }
        let error = #expect(throws: BenchmarkFailure.self) { try SimulateBenchmark.report(idle, seconds: 1).check() }
        #expect(error?.explanation.contains("No seed had events") == true)
        #expect(throws: Never.self) { try SimulateBenchmark.report(Array(idle.dropLast()), seconds: 1).check() }
    }

    @Test func `the JSON object has every violation, by seed`() throws {
        let lost = InvariantViolation(invariant: 1, finding: "an event is lost")
        let pending = InvariantViolation(invariant: 4, finding: "a push is pending")
        let results = [result(seed: 9, lost, pending), result(seed: 8), result(seed: 7, lost)]
        let object = try SimulateBenchmark.report(results, seconds: 1).object
        #expect(object["seeds"] as? Int == 3 && object["failed"] as? Int == 2)
        #expect(
            object["violations"] as? [String] == [
                "seed 7: invariant 1: an event is lost", "seed 9: invariant 1: an event is lost",
                "seed 9: invariant 4: a push is pending",
            ]
        )
        let failures = try #require(object["failures"] as? [[String: Any]])
        #expect(failures.map { $0["seed"] as? Int } == [7, 9])
        for field in object.keys { #expect(SimulateBenchmark.configuration.discussion.contains(field)) }
    }

    @Test func `a run without violations passes the check`() throws {
        let report = SimulateBenchmark.report([result(seed: 1)], seconds: 1)
        try report.check()
        let object = try report.object
        #expect(object["violations"] as? [String] == [] && object["seeds"] as? Int == 1)
        let excused = try #require(object["excused"] as? [String: Int])
        #expect(excused["repeatedEnd"] == 2 && excused.count == Excuse.allCases.count)
    }

    @Test func `a failed run is repeated by the command in the failure`() throws {
        let report = SimulateBenchmark.report(
            [result(seed: 7, InvariantViolation(invariant: 1, finding: "lost"))],
            seconds: 1
        )
        let error = #expect(throws: BenchmarkFailure.self) { try report.check() }
        #expect(error?.explanation.contains("rangers-bench simulate --seeds 1 --seed 7 --trace") == true)
    }
}
