import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct AdvanceTests {
    /// Made up: a tick of eight takes 1 µs, our form 1 + 3, JSON 10 + 6.
    private let report = AdvanceReport(
        figures: Figures { figure in
            switch figure {
            case .ticksPerSecond: 1_234_567
            case .journeyTicksPerSecond, .commandTicksPerSecond: 2_000_000
            case .ticksOfEightPerSecond: 1_000_000
            case .encodeMicroseconds: 1
            case .decodeMicroseconds: 3
            case .jsonEncodeMicroseconds: 10
            case .jsonDecodeMicroseconds: 6
            }
        },
        encodedBytes: 1_000,
        jsonBytes: 2_000
    )

    @Test func `a report tells every figure and what follows from them`() {
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
                "Each the median of 5 runs on one core.",
                "A state of eight is 1000 bytes, and 2000 in JSON, which takes 10.0 times as long to write and "
                    + "2.0 times as long to read.",
                "A tick of eight takes 1.00 µs; with its state read before and written after 5.00 µs, "
                    + "80.0 % of them for that; with JSON 17.00 µs, 94.1 %.",
            ]
        )
    }

    @Test func `the object for scripts has every figure with its spread`() throws {
        let json = try ReportOptions.json(of: report)
        #expect(!json.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["ticksPerSecond"] as? Double == 1_234_567)
        #expect(object["medianOf"] as? Int == 5)
        #expect(object["encodeRatio"] as? Double == 10)
        #expect(object["decodeRatio"] as? Double == 2)
        #expect(object["codecShare"] as? Double == 0.8)
        #expect(object["encodedBytes"] as? Int == 1_000)
        let spread = try #require(object["spread"] as? [String: [String: Double]])
        #expect(Set(spread.keys) == Set(AdvanceFigure.allCases.map(\.rawValue)))
        #expect(spread["decodeMicroseconds"] == ["lowest": 3, "median": 3, "highest": 3])
        for figure in AdvanceFigure.allCases {
            #expect(object[figure.rawValue] is Double)
        }
    }

    @Test(arguments: AdvanceFigure.allCases)
    func `every figure is measured, however short the run`(figure: AdvanceFigure) throws {
        let number = try AdvanceWorkload().measure(figure, for: .zero)
        #expect(number.isFinite && number > 0)
    }

    @Test func `JSON is measured with what is stored of a fight`() throws {
        var fight = Adventure.bossFight(
            against: "cinderwing",
            heroes: DrawnParty.heroes(8, level: 2, seed: 1),
            seed: 1
        )
        _ = try fight.advance(.start)
        for _ in 0..<40 { _ = try fight.advance(.tick) }
        let state = ComparisonState(of: fight)
        #expect(try JSONDecoder().decode(ComparisonState.self, from: JSONEncoder().encode(state)) == state)
        #expect(state.heroes.map(\.health) == fight.heroes.map(\.health))
        #expect(state.boss?.health == fight.boss?.health)
        #expect(state.sequence == fight.sequence)
    }
}
