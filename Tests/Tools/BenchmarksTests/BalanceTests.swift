import ArgumentParser
import CommandLineSupport
import Foundation
import GameCore
import TestSupport
import Testing

@testable import Benchmarks

@Suite(.computing) struct BalanceTests {
    /// Returns a row of 100 adventures.
    private func row(wins: Int) -> BalanceRow {
        let tally = BalanceTally(
            ticks: Array(1...100),
            wins: wins,
            potionsUsed: 250,
            heroesDown: 125,
            levelsGained: 1
        )
        return BalanceRow(content: "glitch", partySize: 4, tally: tally)
    }

    private func report(wins: Int..., checks: Bool = true) -> Report {
        BalanceBenchmark.report(wins.map { row(wins: $0) }, adventures: 100, level: 1, checks: checks)
    }

    @Test func `a small run gives the recorded numbers`() async {
        let rows = await BalanceBenchmark.rows(of: [.boss("storm-roc"), .region("coast")], adventures: 40, level: 3)
        let report = BalanceBenchmark.report(rows, adventures: 40, level: 3, checks: false)
        #expect(
            report.lines(fitting: nil) == [
                "CONTENT    HEROES  WINS %  ± %  TICKS 5%  MEDIAN  95%  POTIONS  DOWN  LEVELS  BALANCE",
                "storm-roc       1    57.5  7.8        12      20   41     1.90  0.43    0.00",
                "storm-roc       2    45.0  7.9        22      34   49     3.70  1.53    0.00",
                "storm-roc       3    40.0  7.7        25      44   58     5.68  3.43    0.00  outside",
                "storm-roc       4    60.0  7.7        37      58   74     7.63  4.03    0.00",
                "storm-roc       5    55.0  7.9        51      65   82     9.38  5.60    0.00",
                "storm-roc       6    62.5  7.7        51      74   92    10.88  6.43    0.00",
                "storm-roc       7    57.5  7.8        65      84  109    12.58  7.03    0.00",
                "storm-roc       8    52.5  7.9        58      91  116    13.98  8.90    0.00",
                "coast           1    47.5  7.9        22      48   60     0.00  0.53    0.00",
                "coast           2    57.5  7.8        27      50   62     0.95  2.00    0.00",
                "coast           3    60.0  7.7        32      52   63     1.55  2.93    0.00",
                "coast           4    65.0  7.5        27      54   63     2.00  3.70    0.00",
                "coast           5    77.5  6.6        40      56   63     2.50  4.30    0.00",
                "coast           6    60.0  7.7        36      54   63     3.43  6.73    0.00",
                "coast           7    67.5  7.4        35      54   62     2.73  6.58    0.00",
                "coast           8    70.0  7.2        35      54   63     3.25  7.20    0.00",
                "",
                "1 of 16 win rates are not between 45 % and 85 %.",
            ]
        )
    }

    @Test func `rows do not depend on each other or on their order`() async {
        let rows = await BalanceBenchmark.rows(of: [.boss("glitch"), .region("coast")], adventures: 5, level: 1)
        let reversed = await BalanceBenchmark.rows(of: [.region("coast"), .boss("glitch")], adventures: 5, level: 1)
        #expect(rows == Array(reversed[8...] + reversed[..<8]))
        #expect(rows.map(\.partySize) == Array(1...8) + Array(1...8))
    }

    @Test func `a row has rates, percentiles and means`() {
        let row = row(wins: 64).row
        #expect(row["winRate"] as? Double == 0.64 && row["standardError"] as? Double == 0.048)
        #expect(["p5Ticks", "medianTicks", "p95Ticks"].map { row[$0] as? Int } == [5, 50, 95])
        #expect(row["potionsUsed"] as? Double == 2.5 && row["heroesDown"] as? Double == 1.25)
        #expect(row["levelsGained"] as? Double == 0.01)
    }

    @Test(arguments: [([17], [17, 17, 17]), ([9, 4], [4, 4, 9]), ([7, 6, 5, 4, 3, 2, 1], [1, 4, 7])])
    func `a percentile of few adventures is the length of one of them`(ticks: [Int], percentiles: [Int]) {
        let row = BalanceRow(content: "glitch", partySize: 1, tally: BalanceTally(ticks: ticks)).row
        #expect(["p5Ticks", "medianTicks", "p95Ticks"].map { row[$0] as? Int } == percentiles)
    }

    @Test(arguments: [(44, false), (45, true), (85, true), (86, false)])
    func `a row is balanced up to the bounds`(wins: Int, isBalanced: Bool) {
        #expect(row(wins: wins).isBalanced == isBalanced)
        #expect(row(wins: wins).row.cells.last == (isBalanced ? "" : "outside"))
    }

    @Test func `a check fails for an unbalanced row`() throws {
        try report(wins: 45, 85).check()
        try report(wins: 44, checks: false).check()
        #expect(report(wins: 45, 85).lines(fitting: nil).last == "Every win rate is between 45 % and 85 %.")
        let error = #expect(throws: BenchmarkFailure.self) { try report(wins: 44, 60, 86).check() }
        #expect(error?.explanation == "2 of 3 win rates are not between 45 % and 85 %.")
        #expect(error?.exitStatus == .failed)
    }

    @Test func `the JSON object has the promised fields of every row`() throws {
        let rows = try #require(try report(wins: 45, 85).object["rows"] as? [[String: Any]])
        #expect(rows.map { $0["winRate"] as? Double } == [0.45, 0.85])
        #expect(rows.map { $0["medianTicks"] as? Int } == [50, 50])
        #expect(rows.map { $0["content"] as? String } == ["glitch", "glitch"])
        #expect(rows.map { $0["partySize"] as? Int } == [4, 4])
        #expect(rows.map { $0["isBalanced"] as? Bool } == [true, true])
    }

    @Test func `the command fails only with --check`() async throws {
        // A win rate of one adventure is 0 or 1.
        let arguments = ["--adventures", "1", "--content", "glitch", "--json"]
        try await BalanceBenchmark.parse(arguments).run()
        let checking = try BalanceBenchmark.parse(arguments + ["--check"])
        await #expect(throws: BenchmarkFailure.self) { try await checking.run() }
    }

    @Test func `outcomes and events of adventures are counted`() {
        var tally = BalanceTally()
        for seed in 0..<20 as Range<UInt64> {
            let heroes = RandomParty.heroes(4, level: 1, seed: seed)
            let opening = AdventureContent.boss("glitch").opening(heroes: heroes, seed: seed)
            let before = tally
            tally.play(opening)

            let (end, events) = playedOut(opening)
            #expect(tally.ticks == before.ticks + [end.tick])
            #expect(tally.wins - before.wins == (end.boss?.health == 0 ? 1 : 0))
            #expect(tally.heroesDown - before.heroesDown == events.count { $0.kind == "heroDown" })
            #expect(tally.potionsUsed - before.potionsUsed == 8 - end.heroes.reduce(0) { $0 + $1.potions })
            #expect(tally.levelsGained - before.levelsGained == end.heroes.reduce(0) { $0 + $1.level - 1 })
        }
    }

    private func playedOut(_ opening: Adventure) -> (end: Adventure, events: [AdventureEvent]) {
        var adventure = opening
        var events = (try? adventure.advance(.start)) ?? []
        while let new = try? adventure.advance(.tick) { events += new }
        return (adventure, events)
    }
}
