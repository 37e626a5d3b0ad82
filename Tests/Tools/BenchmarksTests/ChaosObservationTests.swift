import Testing

@testable import Benchmarks

@Suite struct ChaosObservationTests {
    private func memory(_ last: Int) -> ChaosObserver.Memory { .init(first: 1, highest: last, last: last) }

    @Test func `memory that grows while the database is away is a complaint above a bound`() {
        let bound = OutageMemory.bytesAllowed
        let before = [0: memory(50_000_000), 1: memory(60_000_000), 2: memory(1_000)]
        let kept = OutageMemory(before: before, after: [0: memory(50_000_000 + bound), 1: memory(60_000_001)])
        #expect(kept.complaint == nil && kept.bytes == bound)
        #expect(kept.words == "memory of a node grew by 67 MB at most")
        let grown = OutageMemory(before: before, after: [0: memory(50_000_001), 1: memory(60_000_001 + bound)])
        #expect(grown.complaint == "node 2 grew by 67 MB while PostgreSQL was away, 67 are allowed")
        #expect(OutageMemory(before: before, after: [:]).complaint == nil)
    }

    @Test func `a rate is the game's own in the longest time in which it was not behind`() {
        let start = ContinuousClock.now
        var series = TickSeries()
        // Ten ticks a second, but none for five seconds, which then are caught up within one.
        for second in 0...40 {
            let ticks = second < 10 ? second * 10 : second < 15 ? 100 : second * 10
            series.note(ticks: Double(ticks), at: start + .seconds(second))
        }
        for second in 0...40 {
            // Nobody knows from 30 to 34.
            guard !(30...34).contains(second) else { continue }
            series.note(isBehind: (10...16).contains(second), at: start + .seconds(second))
        }
        func rate(_ first: Int, _ last: Int) -> TickSeries.Steady? {
            series.steadyRate(from: start + .seconds(first), to: start + .seconds(last))
        }
        #expect(rate(0, 9) == .init(ticksPerSecond: 10, seconds: 9))
        #expect(rate(5, 29) == .init(ticksPerSecond: 10, seconds: 12))
        #expect(rate(10, 16) == nil)
        #expect(rate(28, 40) == .init(ticksPerSecond: 10, seconds: 5))
        #expect(rate(30, 34) == nil)
        // One look is no time.
        #expect(rate(9, 12) == nil)
        #expect(series.rate(from: start + .seconds(10), to: start + .seconds(15)) == 10)
    }

    @Test func `a rate that was not measured says so`() {
        let (before, during) = (
            TickSeries.Steady(ticksPerSecond: 12, seconds: 50), TickSeries.Steady(ticksPerSecond: 11.5, seconds: 75)
        )
        #expect(
            ChaosRun.words(before: before, during: during) == "ticks/s: 12.0 in 50 s before, 11.5 in 75 s meanwhile"
        )
        #expect(
            ChaosRun.words(before: nil, during: during)
                == "ticks/s: not measured before, 11.5 in 75 s meanwhile (the game was catching up, or not seen)"
        )
    }
}
