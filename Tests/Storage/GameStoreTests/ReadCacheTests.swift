import Encodings
import GameCore
import GameLog
import Synchronization
import Testing

@testable import GameStore

@Suite struct ReadCacheTests {
    private typealias HistogramCache = ReadCache<LeaderboardEdition, ScoreHistogram>

    private static let season = LeaderboardEdition(
        board: .experience,
        period: .season,
        containing: Timestamp(epochSeconds: 1_790_000_000)
    )

    private struct Failure: Error {}

    private final class Readings: Sendable {
        private let counter = Mutex(0)
        var count: Int { counter.withLock { $0 } }

        /// Returns a histogram with as many players as there were readings.
        func next() -> ScoreHistogram {
            counter.withLock { count in
                count += 1
                return ScoreHistogram([5: count])
            }
        }
    }

    @Test func `a thousand readers of a leaderboard cost one reading`() async throws {
        let cache = HistogramCache(maxAge: .seconds(3_600))
        let readings = Readings()
        let ranks = try await withThrowingTaskGroup { group in
            for _ in 0..<1_000 {
                group.addTask {
                    try await cache.value(of: Self.season) {
                        await Task.yield()
                        return readings.next()
                    }.rank(of: 4)
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(readings.count == 1 && ranks == [2])
        let bosses = LeaderboardEdition(board: .bosses, period: .season, endsAt: Self.season.endsAt)
        _ = try await cache.value(of: bosses) { readings.next() }
        #expect(readings.count == 2)
    }

    @Test func `an old histogram and a failed reading are read again`() async throws {
        let readings = Readings()
        let age = Mutex(Duration.zero)
        let start = ContinuousClock.now
        let cache = HistogramCache(maxAge: .seconds(5)) { age.withLock { start + $0 } }
        for (seconds, rank) in [(0, 2), (4, 2), (5, 3), (9, 3), (10, 4)] {
            age.withLock { $0 = .seconds(seconds) }
            #expect(try await cache.value(of: Self.season) { readings.next() }.rank(of: 4) == rank)
        }
        let kept = HistogramCache(maxAge: .seconds(3_600))
        await #expect(throws: Failure.self) { try await kept.value(of: Self.season) { throw Failure() } }
        #expect(try await kept.value(of: Self.season) { readings.next() }.rank(of: 4) == 5)
    }
}
