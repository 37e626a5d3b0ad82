import Foundation
import Testing

@testable import Benchmarks

@Suite struct SoakTests {
    private func samples(_ count: Int, _ value: (Int) -> Double) -> [SoakSample] {
        (0..<count).map { SoakSample(atSeconds: Double($0) * 60, value: value($0)) }
    }

    private func isFlat(_ trend: SoakTrend, allowing rest: Double) -> Bool {
        SoakLimit.sum(share: 0.05, rest: rest).isKept(by: trend, among: [:])
    }

    /// Whether each figure is flat that jumps after the second quarter.
    private func verdicts(_ figures: [(figure: SoakFigure, before: Double, after: Double)]) -> [String: Bool] {
        var series = SoakSeries()
        for number in 0..<16 {
            series.note(
                figures.map { ($0.figure, number < 8 ? $0.before : $0.after) },
                atSeconds: Double(number)
            )
        }
        return series.rows.reduce(into: [:]) { $0[$1.figure] = $1.isFlat }
    }

    @Test func `a table may grow by a third or by a mebibyte, however small it is`() {
        let swept = SoakFigure.size(of: "events", isSwept: true)
        let pairs = [(0.7, 1.6), (0.7, 1.8), (2.9, 6.4), (6, 7.9), (6, 8.1)]
        let flat = pairs.map { verdicts([(swept, $0, $1)])["events size"] }
        #expect(flat == [true, false, false, true, false])
        #expect(verdicts([(.size(of: "players", isSwept: false), 1, 100)]).isEmpty)
    }

    @Test func `dead rows are held against those that live, and some thousand are never too many`() {
        func isFlat(rows: Double, dead: Double) -> Bool? {
            verdicts([(.rows(of: "events"), rows, rows), (.deadRows(of: "events"), dead, dead)])["events dead rows"]
        }
        #expect(isFlat(rows: 10, dead: 5_000) == true)
        #expect(isFlat(rows: 10, dead: 5_001) == false)
        #expect(isFlat(rows: 20_000, dead: 20_000) == true)
        #expect(isFlat(rows: 20_000, dead: 20_001) == false)
        #expect(verdicts([(.deadRows(of: "events"), 1, 5_001)]) == ["events dead rows": false])
    }

    @Test func `what an operator could not do is a complaint, and the run's end is none`() async throws {
        let failed = try await SoakBench.complaint(about: "campaign soak-3") { throw MeasurementFailure("no answer") }
        #expect(failed?.hasPrefix("campaign soak-3: ") == true && failed?.contains("no answer") == true)
        let done = try await SoakBench.complaint(about: "campaign soak-3") {}
        #expect(done == nil)
        await #expect(throws: CancellationError.self) {
            try await SoakBench.complaint(about: "campaign soak-3") { throw CancellationError() }
        }
    }

    @Test func `a line has its slope, and quarters have their medians`() throws {
        let trend = try #require(SoakTrend(of: samples(16) { 100 + Double($0) }))
        // One more each minute.
        #expect(abs(trend.slopePerHour - 60) < 1e-9)
        #expect(trend.firstQuarter == 101.5 && trend.secondQuarter == 105.5 && trend.lastQuarter == 113.5)
        #expect(trend.quarters == [101.5, 105.5, 109.5, 113.5])
        #expect(isFlat(trend, allowing: 8))
        #expect(!isFlat(trend, allowing: 2))
    }

    @Test func `what fills in the first quarter and stays is flat, and one outlier changes nothing`() throws {
        let filled = try #require(SoakTrend(of: samples(20) { $0 < 5 ? Double($0) * 10 : 50 }))
        #expect(isFlat(filled, allowing: 0) && filled.slopePerHour > 0)
        let outlier = try #require(SoakTrend(of: samples(20) { $0 == 18 ? 500 : 50 }))
        #expect(isFlat(outlier, allowing: 0))
    }

    @Test func `what grows slowly and does not stop is found`() throws {
        let leak = try #require(SoakTrend(of: samples(60) { 100 + Double($0) }))
        #expect(!isFlat(leak, allowing: 8))
        let small = try #require(SoakTrend(of: samples(60) { 1 + Double($0) / 100 }))
        #expect(!isFlat(small, allowing: 0))
    }

    @Test func `too few samples tell nothing`() {
        #expect(SoakTrend(of: samples(SoakTrend.fewestSamples - 1) { _ in 1 }) == nil)
        #expect(SoakTrend(of: samples(SoakTrend.fewestSamples) { _ in 1 }) != nil)
    }

    @Test func `a figure that must stay flat and does not, or nobody knows, refuses the report`() throws {
        let memory = SoakFigure.memory(of: "rangersd 1", isJudged: true)
        let stand = SoakFigure.memory(of: "apns-simulator", isJudged: false)
        func report(_ count: Int, growth: Double, _ verdict: Verdict = Self.good, _ complaints: [String] = [])
            -> SoakReport
        {
            var series = SoakSeries()
            for number in 0..<count {
                let value = 50 + Double(number) * growth
                series.note([(memory, value), (stand, value)], atSeconds: Double(number))
            }
            return SoakReport(
                seconds: 60,
                parties: 4,
                pushes: 1,
                acknowledged: 2,
                removed: ["event": 1_200],
                rows: series.rows,
                verdict: verdict,
                complaints: complaints
            )
        }
        #expect(throws: Never.self) { try report(16, growth: 0).check() }
        #expect(throws: MeasurementFailure("not flat: rangersd 1 memory")) { try report(16, growth: 5).check() }
        #expect(throws: MeasurementFailure("not flat: rangersd 1 memory")) { try report(4, growth: 0).check() }
        #expect(throws: MeasurementFailure.self) { try report(16, growth: 0, Verdict(rows: [Self.unseen])).check() }
        #expect(throws: MeasurementFailure.self) { try report(16, growth: 0, Self.good, ["a node died"]).check() }

        let lines = report(16, growth: 5).lines(fitting: nil)
        #expect(lines.contains { $0.hasPrefix("rangersd 1 memory") && $0.hasSuffix("NO") })
        #expect(lines.contains { $0.hasPrefix("apns-simulator memory") && $0.hasSuffix("-") })
        #expect(lines.contains("Removed: 1,200 event."))
        #expect(lines.contains("Load by quarters: too short to tell."))
    }

    @Test func `the object for scripts has the growth of memory, descriptors and tables`() throws {
        let watched: [SoakFigure] = [
            .memory(of: "rangersd 1", isJudged: true), .descriptors(of: "rangersd 1"),
            .size(of: "events", isSwept: true),
        ]
        var series = SoakSeries()
        for number in 0..<16 {
            let value = 100 + Double(number)
            series.note(watched.map { ($0, value) }, atSeconds: Double(number) * 3_600)
        }
        let report = SoakReport(
            seconds: 57_600,
            parties: 1,
            pushes: 1,
            acknowledged: 1,
            removed: [:],
            rows: series.rows,
            verdict: Self.good,
            complaints: []
        )
        let json = try ReportOptions.json(of: report)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(Set(rows.compactMap { $0["figure"] as? String }) == Set(watched.map(\.name)))
        for row in rows {
            let trend = try #require(row["trend"] as? [String: Double])
            #expect(abs(try #require(trend["slopePerHour"]) - 1) < 1e-9)
        }
    }

    @Test func `the load is told by quarters, and more parties than guests are found`() {
        func report(growth: Double) -> SoakReport {
            var series = SoakSeries()
            for number in 0..<16 {
                let parties = 45 + (number >= 12 ? growth : 0)
                series.note([(.parties(guests: 10), parties), (.ticks, 20), (.pushes, 7)], atSeconds: Double(number))
            }
            return SoakReport(
                seconds: 60,
                parties: 30,
                pushes: 1,
                acknowledged: 2,
                removed: [:],
                rows: series.rows,
                verdict: Self.good,
                complaints: []
            )
        }
        #expect(
            report(growth: 0).lines(fitting: nil).contains(
                "Load by quarters: parties 45.0, 45.0, 45.0, 45.0; ticks a second 20.0, 20.0, 20.0, 20.0; "
                    + "pushes a second 7.0, 7.0, 7.0, 7.0."
            )
        )
        #expect(throws: Never.self) { try report(growth: 15).check() }
        #expect(throws: MeasurementFailure("not flat: parties")) { try report(growth: 30).check() }
    }

    @Test func `the kernel's and PostgreSQL's words are understood`() throws {
        #expect(ProcessFigures.residentKibibytes("Name:\tx\nVmPeak:\t  9 kB\nVmRSS:\t  2048 kB\n") == 2_048)
        #expect(ProcessFigures.residentKibibytes("Name:\tx\n") == nil)
        let own = try #require(ProcessFigures(of: ProcessInfo.processInfo.processIdentifier))
        #expect(own.residentMebibytes > 1 && own.descriptors > 2)
        #expect(ProcessFigures(of: .max) == nil)
        let table = try #require(TableFigures("events|1200|30|1048576"))
        #expect(table.name == "events" && table.liveRows == 1_200 && table.deadRows == 30 && table.bytes == 1 << 20)
        #expect(TableFigures("") == nil)
    }

    private static let unseen = Verdict.Row(
        invariant: 1,
        name: "all is well",
        lookedAt: 0,
        things: "things",
        violationCount: 0,
        violations: []
    )
    private static let good = Verdict(rows: [])
}
