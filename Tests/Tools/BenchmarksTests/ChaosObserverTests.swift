import Testing

@testable import Benchmarks

@Suite struct ChaosObserverTests {
    private func memory(_ last: Int) -> ChaosObserver.Memory { .init(first: 1, highest: last, last: last) }

    @Test func `growth of memory above the limit while the database is down is a complaint`() {
        let limit = OutageMemory.maxBytes
        let before = [0: memory(50_000_000), 1: memory(60_000_000), 2: memory(1_000)]
        let kept = OutageMemory(before: before, after: [0: memory(50_000_000 + limit), 1: memory(60_000_001)])
        #expect(kept.complaint == nil && kept.bytes == limit)
        #expect(kept.description == "memory of a node grew by at most 67 MB")
        let grown = OutageMemory(before: before, after: [0: memory(50_000_001), 1: memory(60_000_001 + limit)])
        #expect(grown.complaint == "node 2 grew by 67 MB while PostgreSQL was down; the limit is 67 MB")
        #expect(OutageMemory(before: before, after: [:]).complaint == nil)
    }

    @Test func `the steady rate is that of the longest span without a backlog`() {
        let start = ContinuousClock.now
        var series = TickSeries()
        // Ten ticks per second, but none for five seconds, which are then played within one.
        for second in 0...40 {
            let ticks = second < 10 ? second * 10 : second < 15 ? 100 : second * 10
            series.add(ticks: Double(ticks), at: start + .seconds(second))
        }
        for second in 0...40 {
            // No samples from 30 to 34.
            guard !(30...34).contains(second) else { continue }
            series.add(hasBacklog: (10...16).contains(second), at: start + .seconds(second))
        }
        func rate(_ first: Int, _ last: Int) -> TickSeries.SteadyRate? {
            series.steadyRate(from: start + .seconds(first), to: start + .seconds(last))
        }
        #expect(rate(0, 9) == .init(ticksPerSecond: 10, seconds: 9))
        #expect(rate(5, 29) == .init(ticksPerSecond: 10, seconds: 12))
        #expect(rate(10, 16) == nil)
        #expect(rate(28, 40) == .init(ticksPerSecond: 10, seconds: 5))
        #expect(rate(30, 34) == nil)
        // One sample is not a span.
        #expect(rate(9, 12) == nil)
        #expect(series.rate(from: start + .seconds(10), to: start + .seconds(15)) == 10)
    }

    @Test func `the comparison says which rate was not measured`() {
        let (before, during) = (
            TickSeries.SteadyRate(ticksPerSecond: 12, seconds: 50),
            TickSeries.SteadyRate(ticksPerSecond: 11.5, seconds: 75)
        )
        #expect(
            TickSeries.comparison(before: before, during: during)
                == "ticks/s: 12.0 in 50 s before, 11.5 in 75 s meanwhile"
        )
        #expect(
            TickSeries.comparison(before: nil, during: during)
                == "ticks/s: not measured before, 11.5 in 75 s meanwhile (the game had a backlog, or was not observed)"
        )
    }
}
