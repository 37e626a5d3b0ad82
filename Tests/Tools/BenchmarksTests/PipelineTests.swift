import Foundation
import Testing

@testable import Benchmarks

@Suite struct PipelineTests {
    private func snapshot(_ factor: Double, at moment: ContinuousClock.Instant) -> PipelineSnapshot {
        PipelineSnapshot(
            at: moment,
            metrics: MetricsText(
                """
                rangers_pushes_total{status="200"} \(400 * factor)
                rangers_pushes_total{status="429"} \(10 * factor)
                rangers_pushes_total{status="unsent"} \(5 * factor)
                rangers_push_commit_to_response_seconds_bucket{le="0.01"} \(200 * factor)
                rangers_push_commit_to_response_seconds_bucket{le="0.02"} \(400 * factor)
                rangers_push_commit_to_response_seconds_bucket{le="+Inf"} \(400 * factor)
                """
            ),
            nodeSeconds: factor,
            peerSeconds: 0.5 * factor,
            postgresSeconds: 0.25 * factor
        )
    }

    private func row(_ parties: Int, every interval: Duration, speed: Double = 1) -> PipelineRow {
        let start = ContinuousClock.now
        return PipelineRow(
            parties: parties,
            interval: interval,
            before: snapshot(1, at: start),
            after: snapshot(1 + 2 * speed, at: start + .seconds(4))
        )
    }

    @Test func `a row is the difference of two snapshots`() {
        let row = row(100, every: .seconds(10)).row
        #expect(row["ticksPerSecond"] as? Double == 10 && row["pushesPerSecond"] as? Double == 200)
        #expect(row["rejectedPushes"] as? Int == 20 && row["unsentPushes"] as? Int == 10)
        #expect(row["p50Milliseconds"] as? Double == 10)
        #expect(row["nodeCores"] as? Double == 0.5 && row["peerCores"] as? Double == 0.25)
        let report = PipelineBenchmark.report([self.row(100, every: .seconds(10))], activitiesPerParty: 4)
        #expect(
            report.lines(fitting: nil).prefix(2) == [
                "PARTIES  TICK S  TICKS/S  PUSHES/S  REJECTED  UNSENT  LOST  P50 MS  P99 MS  NODE  PEER  POSTGRES",
                "    100    10.0       10       200        20      10     0    10.0    19.8  0.50  0.25      0.13",
            ]
        )
    }

    @Test func `the main values are those of the most parties at the longest interval`() throws {
        let rows = [
            row(100, every: .seconds(10)), row(1_000, every: .seconds(10), speed: 2),
            row(1_000, every: .seconds(2), speed: 3),
        ]
        let object = try PipelineBenchmark.report(rows, activitiesPerParty: 4).object
        #expect(object["parties"] as? Int == 1_000 && object["pushesPerSecond"] as? Double == 400)
        #expect((object["rows"] as? [[String: Any]])?.map { $0["pushesPerSecond"] as? Double } == [200, 400, 600])
        #expect(object["activitiesPerParty"] as? Int == 4)
        let silent = try PipelineBenchmark.report([row(100, every: .seconds(10), speed: 0)], activitiesPerParty: 4)
            .object
        #expect(silent["p50Milliseconds"] is NSNull && silent["p99Milliseconds"] is NSNull)
    }
}

@Suite struct MemoryTests {
    private func sample(_ manyBytes: Int) -> MemorySample {
        MemorySample(seconds: 30, pushes: 5_000, fewBytes: 20 << 20, manyBytes: manyBytes)
    }

    @Test func `the memory per activity is a quotient of differences, and the main value is the last sample's`() throws
    {
        let report = MemoryBenchmark.report(few: 1_000, many: 103_400, samples: [sample(70 << 20), sample(120 << 20)])
        #expect(
            report.lines(fitting: nil).prefix(3) == [
                "SECONDS  PUSHES  MIB WITH 1,000  MIB WITH 103,400  BYTES EACH",
                "     30   5,000            20.0              70.0         512",
                "     30   5,000            20.0             120.0       1,024",
            ]
        )
        let object = try report.object
        #expect(object["bytesPerActivity"] as? Double == 1_024)
        #expect((object["samples"] as? [[String: Any]])?.map { $0["bytesPerActivity"] as? Double } == [512, 1_024])
    }
}
