import Foundation
import Testing

@testable import Benchmarks

@Suite struct AdvanceTests {
    /// A report in which a tick of eight heroes takes 1 µs, and the stored form 1 + 3 µs.
    private var report: Report {
        let values: [AdvanceFigure: Double] = [
            .ticksPerSecond: 1_234_567, .journeyTicksPerSecond: 2_000_000, .commandTicksPerSecond: 2_000_000,
            .timelineTicksPerSecond: 2_000_000, .ticksOfEightPerSecond: 1_000_000, .encodeMicroseconds: 1,
            .decodeMicroseconds: 3,
        ]
        let figures = values.mapValues { Spread(of: [$0]) }
        return AdvanceBenchmark.report(figures, encodedBytes: 1_000)
    }

    @Test func `the report has every figure and the ratios`() {
        #expect(
            report.lines(fitting: nil) == [
                "FIGURE                                MEDIAN     LOWEST    HIGHEST  UNIT",
                "boss fight of four                 1,234,567  1,234,567  1,234,567  ticks/s",
                "journey of four                    2,000,000  2,000,000  2,000,000  ticks/s",
                "boss fight of four, by commands    2,000,000  2,000,000  2,000,000  ticks/s",
                "boss fight of four, as a timeline  2,000,000  2,000,000  2,000,000  ticks/s",
                "boss fight of eight                1,000,000  1,000,000  1,000,000  ticks/s",
                "state of eight, encoded                 1.00       1.00       1.00  µs",
                "state of eight, decoded                 3.00       3.00       3.00  µs",
                "",
                "Each figure is the median of 5 runs on one core.",
                "A state of eight heroes has 1,000 bytes. A tick of eight heroes takes 1.00 µs; with decoding and encoding "
                    + "5.00 µs (80.0 % of it for these).",
            ]
        )
    }

    @Test func `the JSON object has every figure with its spread`() throws {
        #expect(!(try report.json).contains("\n"))
        let object = try report.object
        #expect(object["ticksPerSecond"] as? Double == 1_234_567 && object["medianOf"] as? Int == 5)
        #expect(object["codecShare"] as? Double == 0.8 && object["encodedBytes"] as? Int == 1_000)
        let spread = try #require(object["spread"] as? [String: [String: Double]])
        #expect(Set(spread.keys) == Set(AdvanceFigure.allCases.map(\.rawValue)))
        #expect(spread["decodeMicroseconds"] == ["lowest": 3, "median": 3, "highest": 3])
        for figure in AdvanceFigure.allCases { #expect(object[figure.rawValue] is Double) }
    }

    @Test(arguments: AdvanceFigure.allCases)
    func `every figure is measured, however short the run`(figure: AdvanceFigure) throws {
        let number = try AdvanceWorkload().measure(figure, for: .zero)
        #expect(number.isFinite && number > 0)
    }
}
