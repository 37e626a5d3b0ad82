import Foundation
import Testing

@testable import Benchmarks

@Suite struct APIReportTests {
    private let report = APIReport(
        rows: [
            .init(
                request: "state",
                perSecond: 3_000,
                p50Milliseconds: 4.25,
                p99Milliseconds: 12.5,
                httpPerSecond: 20_000,
                sqlPerSecond: 5_000
            )
        ],
        commands: .init(perSecond: 500, p50Milliseconds: 2.5, p99Milliseconds: 9.75),
        medianOf: 3
    )

    @Test func `the limit is what both allow on the same cores`() {
        #expect(report.rows[0].limitPerSecond == 4_000)
        #expect(report.rows[0].ratioToLimit == 0.75)
        #expect(
            report.lines(fitting: nil) == [
                "REQUEST  PER SECOND  P50 MS  P99 MS  HTTP ALONE  SQL ALONE  LIMIT  RATIO",
                "state         3,000    4.25   12.50      20,000      5,000  4,000   0.75",
                "",
                "Commands at 500 a second: p50 2.50 ms, p99 9.75 ms, from when each was due.",
                "Each the median of 3 runs in turns; the limit is what HTTP and SQL allow on the same cores.",
            ]
        )
    }

    @Test func `the object for scripts has every row`() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(ReportOptions.json(of: report).utf8)) as? [String: Any]
        )
        let row = try #require((object["rows"] as? [[String: Any]])?.first)
        #expect(row["request"] as? String == "state")
        #expect(row["perSecond"] as? Double == 3_000 && row["ratioToLimit"] as? Double == 0.75)
        #expect(row["p50Milliseconds"] as? Double == 4.25 && row["p99Milliseconds"] as? Double == 12.5)
        let commands = try #require(object["commands"] as? [String: Double])
        #expect(commands == ["perSecond": 500, "p50Milliseconds": 2.5, "p99Milliseconds": 9.75])
        #expect(object["medianOf"] as? Int == 3)
    }

    @Test func `of several runs the medians are told`() {
        var tally = APITally()
        for number in [3.0, 1, 2] {
            let figures = HTTPLoad.Figures(perSecond: number, p50Milliseconds: number, p99Milliseconds: number)
            tally.ofAPI[.join, default: []].append(figures)
            tally.ofHTTP[.join, default: []].append(number)
            tally.ofSQL[.join, default: []].append(number)
            tally.paced.append(figures)
        }
        let report = APIReport(tally)
        #expect(report.rows.map(\.request) == ["join"])
        #expect(report.rows[0].perSecond == 2 && report.rows[0].limitPerSecond == 1)
        #expect(report.commands.p99Milliseconds == 2)
    }
}
