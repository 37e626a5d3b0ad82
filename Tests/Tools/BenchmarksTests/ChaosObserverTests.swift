import Testing

@testable import Benchmarks

@Suite struct ChaosObserverTests {
    private func memory(_ last: Int) -> ChaosObserver.Memory { .init(first: 1, highest: last, last: last) }

    @Test func `growth of memory above the limit while the database is down is a problem`() {
        let limit = OutageMemory.maxBytes
        let before = [0: memory(50_000_000), 1: memory(60_000_000), 2: memory(1_000)]
        let kept = OutageMemory(before: before, after: [0: memory(50_000_000 + limit), 1: memory(60_000_001)])
        #expect(kept.problem == nil && kept.bytes == limit)
        #expect(kept.description == "memory of a node grew by at most 67 MB")
        let grown = OutageMemory(before: before, after: [0: memory(50_000_001), 1: memory(60_000_001 + limit)])
        #expect(grown.problem == "node 2 grew by 67 MB while PostgreSQL was down; the limit is 67 MB")
        #expect(OutageMemory(before: before, after: [:]).problem == nil)
    }
}
