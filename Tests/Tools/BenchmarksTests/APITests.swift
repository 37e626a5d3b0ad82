import Foundation
import Testing

@testable import Benchmarks

@Suite struct APITests {
    private func results(_ kind: APIRequestKind, api: [Double], http: [Double], sql: [Double]) -> APIResults {
        func result(_ perSecond: Double) -> HTTPLoad.Result {
            HTTPLoad.Result(perSecond: perSecond, p50Milliseconds: 4.25, p99Milliseconds: 12.5)
        }
        return APIResults(
            api: [kind: api.map(result)],
            http: [kind: http],
            sql: [kind: sql],
            fixedRate: [.init(perSecond: 500, p50Milliseconds: 2.5, p99Milliseconds: 9.75)]
        )
    }

    private var report: Report {
        APIBenchmark.report(results(.state, api: [3_000], http: [20_000], sql: [5_000]))
    }

    @Test func `the limit is the rate of HTTP and SQL on the same cores`() {
        #expect(
            report.lines(fitting: nil) == [
                "REQUEST  PER SECOND  P50 MS  P99 MS  HTTP ALONE  SQL ALONE  LIMIT  RATIO",
                "state         3,000    4.25   12.50      20,000      5,000  4,000   0.75",
                "",
                "Commands at 500 per second: p50 2.50 ms, p99 9.75 ms, from when each was due.",
                "Each figure is the median of 3 runs in turns; LIMIT is what HTTP and SQL allow on the same cores.",
            ]
        )
    }

    @Test func `the JSON object has every row`() throws {
        let object = try report.object
        let row = try #require((object["rows"] as? [[String: Any]])?.first)
        #expect(row["request"] as? String == "state")
        #expect(row["perSecond"] as? Double == 3_000 && row["ratioToLimit"] as? Double == 0.75)
        #expect(row["p50Milliseconds"] as? Double == 4.25 && row["p99Milliseconds"] as? Double == 12.5)
        #expect(row["limitPerSecond"] as? Double == 4_000)
        let commands = try #require(object["commands"] as? [String: Double])
        #expect(commands == ["perSecond": 500, "p50Milliseconds": 2.5, "p99Milliseconds": 9.75])
        #expect(object["medianOf"] as? Int == 3)
    }

    @Test func `a figure is the median of its runs`() throws {
        let results = results(.join, api: [3, 1, 2], http: [3, 1, 2], sql: [3, 1, 2])
        let rows = try #require(try APIBenchmark.report(results).object["rows"] as? [[String: Any]])
        #expect(rows.map { $0["request"] as? String } == ["join"])
        #expect(rows[0]["perSecond"] as? Double == 2 && rows[0]["limitPerSecond"] as? Double == 1)
    }
}
