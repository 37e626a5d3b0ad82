import ArgumentParser
import Testing

@testable import Benchmarks

@Suite struct RaidBenchmarkTests {
    private func result(replayed: Int) -> RaidResult {
        func cost(_ bytes: Double) -> TickCost {
            TickCost(
                work: TickWork(ticks: 100),
                seconds: 10,
                walBytes: bytes,
                processSeconds: bytes / 1_000,
                postgresSeconds: bytes / 1_000
            )
        }
        var result = RaidResult(parties: 50, dealt: 7, history: 7, replayed: replayed, rounds: 10)
        (result.roundLatencies, result.decisionLatencies) = ([100, 300], [400])
        (result.raid, result.fights) = (cost(2_000), cost(1_000))
        result.updatesPerSecond = [("raids", 1.5)]
        result.counters = [("fastest", cost(500))]
        return result
    }

    @Test func `the report has ratios, latencies and every field of the help`() throws {
        let report = result(replayed: 7).report
        try report.check()
        let object = try report.object
        #expect(object["walRatio"] as? Double == 2 && object["processorRatio"] as? Double == 2)
        #expect(object["roundMilliseconds99"] as? Double == 300 && object["dealt"] as? Int == 7)
        for field in object.keys { #expect(RaidBenchmark.configuration.discussion.contains(field)) }
    }

    @Test func `a difference of one unit fails`() {
        #expect(throws: BenchmarkFailure.self) { try result(replayed: 8).report.check() }
    }
}
