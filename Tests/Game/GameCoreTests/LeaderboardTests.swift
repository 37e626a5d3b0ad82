import Encodings
import GameCore
import TestSupport
import Testing

@Suite struct LeaderboardTests {
    @Test(arguments: [
        ("2026-09-21T14:13:20Z", "2026-07-01T00:00:00Z", "2026-10-01T00:00:00Z"),
        ("2026-12-31T23:59:59Z", "2026-10-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2027-04-01T00:00:00Z"),
        ("2028-02-29T12:00:00Z", "2028-01-01T00:00:00Z", "2028-04-01T00:00:00Z"),
    ])
    func `a season is a quarter of a year`(moment: String, start: String, end: String) throws {
        try expect(.season, moment, start, end)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", "1969-12-29T00:00:00Z", "1970-01-05T00:00:00Z"),
        ("2026-09-20T23:59:59Z", "2026-09-14T00:00:00Z", "2026-09-21T00:00:00Z"),
        ("2026-09-21T00:00:00Z", "2026-09-21T00:00:00Z", "2026-09-28T00:00:00Z"),
    ])
    func `a week begins on Monday`(moment: String, start: String, end: String) throws {
        try expect(.week, moment, start, end)
    }

    private func expect(_ period: LeaderboardPeriod, _ moment: String, _ start: String, _ end: String) throws {
        let interval = period.interval(containing: try #require(Timestamp(rfc3339: moment)))
        #expect(interval.lowerBound.rfc3339(fractionDigits: 0) == start)
        #expect(interval.upperBound.rfc3339(fractionDigits: 0) == end)
    }

    @Test func `ranks from buckets are exact for small scores, and never wrong by more than the bucket`() {
        var generator = SeededGenerator(seed: 3)
        let scores = (0..<1_000).map { _ in
            Int.random(in: 1...Int.random(in: 1...4_000, using: &generator), using: &generator)
        }
        let players = Dictionary(scores.map { (ScoreHistogram.bucket(of: $0), 1) }, uniquingKeysWith: +)
        let histogram = ScoreHistogram(players)
        var former = Int.max
        for score in Array(1...100) + stride(from: 101, to: 4_100, by: 7) {
            let rank = histogram.rank(of: score)
            let exact = 1 + scores.count { $0 > score }
            let tolerance = score < 16 ? 0 : players[ScoreHistogram.bucket(of: score)] ?? 0
            #expect(abs(rank - exact) <= tolerance, "\(score)")
            #expect(rank <= former)
            former = rank
        }
        #expect(histogram.rank(of: 999_999_999) == 1)
        // A million is in one of the first few hundred buckets, so a histogram is small.
        #expect(ScoreHistogram.bucket(of: 1_000_000) < 200)
    }
}
