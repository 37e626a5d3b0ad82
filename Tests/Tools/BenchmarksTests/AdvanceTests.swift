import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct AdvanceTests {
    /// A report in which a tick of eight heroes takes 1 µs, the stored form 1 + 3 µs, and JSON 10 + 6 µs.
    private var report: Report {
        let values: [AdvanceFigure: Double] = [
            .ticksPerSecond: 1_234_567, .journeyTicksPerSecond: 2_000_000, .commandTicksPerSecond: 2_000_000,
            .ticksOfEightPerSecond: 1_000_000, .encodeMicroseconds: 1, .decodeMicroseconds: 3,
            .jsonEncodeMicroseconds: 10, .jsonDecodeMicroseconds: 6,
        ]
        let figures = values.mapValues { Spread(of: [$0]) }
        return AdvanceBenchmark.report(figures, encodedBytes: 1_000, jsonBytes: 2_000)
    }

    @Test func `the report has every figure and the ratios`() {
        #expect(
            report.lines(fitting: nil) == [
                "FIGURE                              MEDIAN     LOWEST    HIGHEST  UNIT",
                "boss fight of four               1,234,567  1,234,567  1,234,567  ticks/s",
                "journey of four                  2,000,000  2,000,000  2,000,000  ticks/s",
                "boss fight of four, by commands  2,000,000  2,000,000  2,000,000  ticks/s",
                "boss fight of eight              1,000,000  1,000,000  1,000,000  ticks/s",
                "state of eight, encoded               1.00       1.00       1.00  µs",
                "state of eight, decoded               3.00       3.00       3.00  µs",
                "the same by JSONEncoder              10.00      10.00      10.00  µs",
                "the same by JSONDecoder               6.00       6.00       6.00  µs",
                "",
                "Each figure is the median of 5 runs on one core.",
                "A state of eight heroes has 1,000 bytes, and 2,000 as JSON, which takes 10.0 times as long to encode and "
                    + "2.0 times as long to decode.",
                "A tick of eight heroes takes 1.00 µs; with decoding and encoding 5.00 µs (80.0 % of it for these), with "
                    + "JSON 17.00 µs (94.1 %).",
            ]
        )
    }

    @Test func `the JSON object has every figure with its spread`() throws {
        #expect(!(try report.json).contains("\n"))
        let object = try report.object
        #expect(object["ticksPerSecond"] as? Double == 1_234_567 && object["medianOf"] as? Int == 5)
        #expect(object["encodeRatio"] as? Double == 10 && object["decodeRatio"] as? Double == 2)
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

    @Test func `the compared JSON has the state of the fight`() throws {
        var fight = Adventure.bossFight(
            against: "cinderwing",
            heroes: RandomParty.heroes(8, level: 2, seed: 1),
            seed: 1
        )
        _ = try fight.advance(.start)
        for _ in 0..<40 { _ = try fight.advance(.tick) }
        let state = JSONState(of: fight)
        #expect(try JSONDecoder().decode(JSONState.self, from: JSONEncoder().encode(state)) == state)
        #expect(state.heroes.map(\.health) == fight.heroes.map(\.health))
        #expect(state.boss?.health == fight.boss?.health)
        #expect(state.sequence == fight.sequence)
    }
}
