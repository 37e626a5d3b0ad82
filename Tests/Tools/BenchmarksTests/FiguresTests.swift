import Testing

@testable import Benchmarks

@Suite struct FiguresTests {
    private enum Name: String, FigureName {
        case first
        case second

        var title: String { rawValue }
        var unit: FigureUnit { .microseconds }
    }

    @Test func `figures take turns, and the first turn does not count`() {
        var asked: [Name] = []
        let figures = Figures<Name> { name in
            asked.append(name)
            // The warm-up is the slowest by far; then 5, 4, 3, 2, 1, and a hundred times that.
            let turn = (asked.count - 1) / 2
            let number = turn == 0 ? 1_000 : Double(6 - turn)
            return name == .first ? number : number * 100
        }
        #expect(asked == Array(repeating: [Name.first, .second], count: 6).flatMap(\.self))
        #expect(figures[.first] == Spread(of: [5, 4, 3, 2, 1]))
        #expect(figures[.second].median == 300)
    }

    @Test func `a spread is the median with the extremes, in whatever order they come`() {
        let spread = Spread(of: [7, 1, 9, 3, 4])
        #expect(spread.lowest == 1 && spread.median == 4 && spread.highest == 9)
    }

    @Test func `work is done at least once, and counted by the second`() {
        var calls = 0
        let rate = Stopwatch.perSecond(for: .zero) {
            calls += 1
            return 1_000
        }
        #expect(calls == 1)
        #expect(rate > 1_000)
    }

    @Test func `work goes on until the time is over`() {
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
    func `numbers are written alike everywhere`(number: Double, digits: Int, text: String) {
        #expect(NumberText.text(number, digits: digits) == text)
    }
}
