import Testing

@testable import Measurements

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

    @Test func `a rate is the game's own only where it was not behind when the time began`() {
        let start = ContinuousClock.now
        var series = TickSeries()
        for second in 0...20 { series.note(ticks: Double(second * 10), at: start + .seconds(second)) }
        // Behind for the first five seconds, and nobody knows from 10 to 15.
        for second in 0..<5 { series.note(isBehind: true, at: start + .seconds(second)) }
        for second in [5, 6, 7, 8, 9, 15, 16] { series.note(isBehind: false, at: start + .seconds(second)) }
        func rate(_ first: Int, _ last: Int) -> Double? {
            series.steadyRate(from: start + .seconds(first), to: start + .seconds(last))
        }
        #expect(rate(0, 8) == nil)
        #expect(rate(5, 9) == 10)
        #expect(rate(10, 20) == nil)
        #expect(rate(15, 20) == 10)
        #expect(series.rate(from: start, to: start + .seconds(8)) == 10)
        #expect(rate(30, 40) == nil)
    }

    @Test func `a rate that was not measured says so`() {
        #expect(ChaosRun.words(before: 12, during: 11.5) == "ticks/s: 12.0 before, 11.5 meanwhile")
        #expect(
            ChaosRun.words(before: nil, during: 11.5)
                == "ticks/s: not measured before, 11.5 meanwhile (the game was catching up, or not seen)"
        )
    }
}
