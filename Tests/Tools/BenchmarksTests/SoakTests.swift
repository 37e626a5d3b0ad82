import Foundation
import Simulation
import Testing

@testable import Benchmarks

@Suite struct SoakTests {
    private func samples(_ count: Int, _ value: (Int) -> Double) -> [SoakTrend.Sample] {
        (0..<count).map { (Double($0) * 60, value($0)) }
    }

    private func isFlat(_ trend: SoakTrend, allowing allowance: Double) -> Bool {
        SoakLimit.sum(share: 0.05, allowance: allowance).holds(for: trend, among: [:])
    }

    /// Whether each figure is flat when it changes after the second quarter.
    private func flatness(_ figures: [(figure: SoakFigure, before: Double, after: Double)]) -> [String: Bool] {
        var series = SoakSeries()
        for number in 0..<16 {
            series.add(
                figures.map { ($0.figure, number < 8 ? $0.before : $0.after) },
                atSeconds: Double(number)
            )
        }
        return series.results.reduce(into: [:]) { $0[$1.figure.name] = $1.isFlat }
    }

    @Test func `a table may grow by a third or by a mebibyte`() {
        let swept = SoakFigure.size(of: "log", hasRetention: true)
        let pairs = [(0.7, 1.6), (0.7, 1.8), (2.9, 6.4), (6, 7.9), (6, 8.1)]
        let flat = pairs.map { flatness([(swept, $0, $1)])["log size"] }
        #expect(flat == [true, false, false, true, false])
        #expect(flatness([(.size(of: "players", hasRetention: false), 1, 100)]).isEmpty)
    }

    @Test func `dead rows are compared with live rows, and some thousand are always allowed`() {
        func isFlat(rows: Double, dead: Double) -> Bool? {
            flatness([(.rows(of: "log"), rows, rows), (.deadRows(of: "log"), dead, dead)])["log dead rows"]
        }
        #expect(isFlat(rows: 10, dead: 5_000) == true)
        #expect(isFlat(rows: 10, dead: 5_001) == false)
        #expect(isFlat(rows: 20_000, dead: 20_000) == true)
        #expect(isFlat(rows: 20_000, dead: 20_001) == false)
        #expect(flatness([(.deadRows(of: "log"), 1, 5_001)]) == ["log dead rows": false])
    }

    @Test func `a failed campaign is a problem, but not the end of the run`() async throws {
        let failed = try await SoakBenchmark.problem(about: "campaign soak-3") { throw BenchmarkFailure("no response") }
        #expect(failed?.hasPrefix("campaign soak-3: ") == true && failed?.contains("no response") == true)
        let done = try await SoakBenchmark.problem(about: "campaign soak-3") {}
        #expect(done == nil)
        await #expect(throws: CancellationError.self) {
            try await SoakBenchmark.problem(about: "campaign soak-3") { throw CancellationError() }
        }
    }

    @Test func `a trend has the slope and the medians of the quarters`() throws {
        let trend = try #require(SoakTrend(of: samples(16) { 100 + Double($0) }))
        // Grows by 1 per minute.
        #expect(abs(trend.slopePerHour - 60) < 1e-9)
        #expect(trend.firstQuarter == 101.5 && trend.secondQuarter == 105.5 && trend.lastQuarter == 113.5)
        #expect(trend.quarters == [101.5, 105.5, 109.5, 113.5])
        #expect(isFlat(trend, allowing: 8))
        #expect(!isFlat(trend, allowing: 2))
    }

    @Test func `growth in the first quarter and one outlier are ignored`() throws {
        let filled = try #require(SoakTrend(of: samples(20) { $0 < 5 ? Double($0) * 10 : 50 }))
        #expect(isFlat(filled, allowing: 0) && filled.slopePerHour > 0)
        let outlier = try #require(SoakTrend(of: samples(20) { $0 == 18 ? 500 : 50 }))
        #expect(isFlat(outlier, allowing: 0))
    }

    @Test func `slow continuous growth is found`() throws {
        let leak = try #require(SoakTrend(of: samples(60) { 100 + Double($0) }))
        #expect(!isFlat(leak, allowing: 8))
        let small = try #require(SoakTrend(of: samples(60) { 1 + Double($0) / 100 }))
        #expect(!isFlat(small, allowing: 0))
    }

    @Test func `too few samples have no trend`() {
        #expect(SoakTrend(of: samples(SoakTrend.minSamples - 1) { _ in 1 }) == nil)
        #expect(SoakTrend(of: samples(SoakTrend.minSamples) { _ in 1 }) != nil)
    }

    private func report(
        _ series: SoakSeries,
        _ check: InvariantResults = InvariantResults(checks: []),
        _ problems: [String] = []
    ) -> Report {
        SoakBenchmark.report(
            seconds: 60,
            parties: 4,
            pushes: 1,
            acknowledged: 2,
            removed: ["entry": 1_200],
            series: series,
            check: check,
            problems: problems
        )
    }

    @Test func `a growing or unknown limited figure, a violation and a problem fail the run`() throws {
        let memory = SoakFigure.memory(of: "rangersd 1", isLimited: true)
        let simulator = SoakFigure.memory(of: "apns-simulator", isLimited: false)
        func series(_ count: Int, growth: Double) -> SoakSeries {
            var series = SoakSeries()
            for number in 0..<count {
                let value = 50 + Double(number) * growth
                series.add([(memory, value), (simulator, value)], atSeconds: Double(number))
            }
            return series
        }
        let (flat, growing) = (series(16, growth: 0), series(16, growth: 5))
        #expect(throws: Never.self) { try report(flat).check() }
        #expect(throws: BenchmarkFailure("not flat: rangersd 1 memory")) { try report(growing).check() }
        #expect(throws: BenchmarkFailure("not flat: rangersd 1 memory")) { try report(series(4, growth: 0)).check() }
        let unchecked = InvariantResults(checks: [InvariantCheck(of: 1)])
        #expect(throws: BenchmarkFailure.self) { try report(flat, unchecked).check() }
        #expect(throws: BenchmarkFailure.self) { try report(flat, InvariantResults(checks: []), ["odd"]).check() }

        let lines = report(growing).lines(fitting: nil)
        #expect(lines.contains { $0.hasPrefix("rangersd 1 memory") && $0.hasSuffix("NO") })
        #expect(lines.contains { $0.hasPrefix("apns-simulator memory") && $0.hasSuffix("-") })
        #expect(lines.contains("Removed: 1,200 entry."))
        #expect(lines.contains("Load by quarters: too few samples."))
    }

    @Test func `the JSON object has the growth of memory, descriptors and tables`() throws {
        let figures: [SoakFigure] = [
            .memory(of: "rangersd 1", isLimited: true), .descriptors(of: "rangersd 1"),
            .size(of: "log", hasRetention: true),
        ]
        var series = SoakSeries()
        for number in 0..<16 {
            let value = 100 + Double(number)
            series.add(figures.map { ($0, value) }, atSeconds: Double(number) * 3_600)
        }
        let object = try report(series).object
        #expect(
            object.keys.sorted() == [
                "acknowledged", "excused", "invariants", "parties", "problems", "pushes", "removed", "rows", "seconds",
            ]
        )
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(Set(rows.compactMap { $0["figure"] as? String }) == Set(figures.map(\.name)))
        for row in rows {
            #expect(row.keys.sorted() == ["figure", "isFlat", "trend", "unit"])
            let trend = try #require(row["trend"] as? [String: Double])
            #expect(abs(try #require(trend["slopePerHour"]) - 1) < 1e-9)
        }
    }

    @Test func `the load is reported by quarters, and more parties than guests are growth`() {
        func report(growth: Double) -> Report {
            var series = SoakSeries()
            for number in 0..<16 {
                let parties = 45 + (number >= 12 ? growth : 0)
                series.add([(.parties(guests: 10), parties), (.ticks, 20), (.pushes, 7)], atSeconds: Double(number))
            }
            return self.report(series)
        }
        #expect(
            report(growth: 0).lines(fitting: nil).contains(
                "Load by quarters: parties 45.0, 45.0, 45.0, 45.0; ticks per second 20.0, 20.0, 20.0, 20.0; "
                    + "pushes per second 7.0, 7.0, 7.0, 7.0."
            )
        )
        #expect(throws: Never.self) { try report(growth: 15).check() }
        #expect(throws: BenchmarkFailure("not flat: parties")) { try report(growth: 30).check() }
    }
}
