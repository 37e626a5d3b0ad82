import Testing

@testable import Benchmarks

@Suite struct StatisticsTests {
    @Test func `names are measured in turns, without the first turn`() {
        var calls: [String] = []
        let spreads = Spread.measured(["first", "second"], turns: 5) { name in
            calls.append(name)
            // The warm-up is by far the slowest; then 5, 4, 3, 2, 1, and a hundred times that.
            let turn = (calls.count - 1) / 2
            let value = turn == 0 ? 1_000 : Double(6 - turn)
            return name == "first" ? value : value * 100
        }
        #expect(calls == Array(repeating: ["first", "second"], count: 6).flatMap(\.self))
        #expect(spreads["first"] == Spread(of: [5, 4, 3, 2, 1]))
        #expect(spreads["second"]?.median == 300)
    }

    @Test func `a spread has the median and the extremes`() {
        let spread = Spread(of: [7, 1, 9, 3, 4])
        #expect(spread.lowest == 1 && spread.median == 4 && spread.highest == 9)
        #expect([4.0, 1, 2, 8].median == 3)
    }

    @Test func `a percentile is the nearest rank`() {
        let values = (1...200).shuffled()
        #expect([50, 99, 100].map { values.percentile($0) } == [100, 198, 200])
        #expect([7].percentile(1) == 7)
    }

    @Test func `work is done at least once`() {
        var calls = 0
        let rate = Stopwatch.perSecond(for: .zero) {
            calls += 1
            return 1_000
        }
        #expect(calls == 1)
        #expect(rate > 1_000)
    }

    @Test func `work is repeated until the time is over`() {
        let start = ContinuousClock.now
        var done = 0
        let rate = Stopwatch.perSecond(for: .milliseconds(20)) {
            done += 1
            return 1
        }
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        #expect(rate <= Double(done) / 0.02)
    }

    @Test(arguments: [
        (0, 0, "0"), (999, 0, "999"), (1_000, 0, "1,000"), (1_234_567.6, 0, "1,234,568"), (-1_000, 0, "-1,000"),
        (0.05, 2, "0.05"), (12.3456, 2, "12.35"), (0.999, 2, "1.00"), (-0.5, 1, "-0.5"), (1_000, 1, "1,000.0"),
    ])
    func `numbers have commas between thousands and a fixed number of digits`(number: Double, digits: Int, text: String)
    {
        #expect(number.grouped(digits: digits) == text)
    }
}
