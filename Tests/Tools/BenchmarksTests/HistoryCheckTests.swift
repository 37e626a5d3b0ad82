import Testing

@testable import Benchmarks

@Suite struct HistoryCheckTests {
    private func read(_ version: Int64, from start: Int, to end: Int, _ content: String? = nil)
        -> HistoryCheck.Operation
    { operation("read", version, start, end, isWrite: false, content) }

    private func write(_ version: Int64, from start: Int, to end: Int, expecting expected: Int64? = nil)
        -> HistoryCheck.Operation
    { operation("write", version, start, end, isWrite: true, nil, expected) }

    private func operation(
        _ kind: String,
        _ version: Int64,
        _ start: Int,
        _ end: Int,
        isWrite: Bool,
        _ content: String?,
        _ expected: Int64? = nil
    ) -> HistoryCheck.Operation {
        .init(
            name: "\(kind) \(start)",
            invokedAt: .seconds(start),
            respondedAt: .seconds(end),
            version: .init(major: version),
            isWrite: isWrite,
            expectedVersion: expected,
            content: content ?? "content \(version)"
        )
    }

    private func findings(_ operations: HistoryCheck.Operation...) -> [String] {
        HistoryCheck.findings(in: operations, of: "party")
    }

    @Test func `concurrent requests may see and make versions in any order`() {
        #expect(findings(write(1, from: 0, to: 1), read(1, from: 2, to: 3), write(2, from: 4, to: 9)) == [])
        // A read beside a write sees the version before it or after it; each of two writes may be the first.
        #expect(findings(write(2, from: 4, to: 9), read(1, from: 5, to: 6), read(2, from: 5, to: 6)) == [])
        #expect(findings(write(3, from: 0, to: 9), write(2, from: 1, to: 8)) == [])
    }

    @Test func `a read that misses an acknowledged write is stale`() {
        #expect(
            findings(write(2, from: 0, to: 1), read(1, from: 2, to: 3))
                == ["party: stale read: read 2 saw version 1 after version 2 of write 0"]
        )
    }

    @Test func `a version never goes backwards between reads`() {
        #expect(
            findings(read(7, from: 0, to: 1), read(6, from: 2, to: 3), read(7, from: 4, to: 5))
                == ["party: version that went backwards: read 2 saw version 6 after version 7 of read 0"]
        )
    }

    @Test func `a write that repeats or precedes a version that has been shown lost an update`() {
        #expect(
            findings(read(2, from: 0, to: 1), write(2, from: 2, to: 3))
                == ["party: lost update: write 2 made version 2 after version 2 of read 0"]
        )
        #expect(findings(write(3, from: 0, to: 1), write(2, from: 2, to: 3)).count == 1)
    }

    @Test func `two writes never make one version`() {
        #expect(
            findings(write(2, from: 0, to: 5), write(2, from: 1, to: 4)) == [
                "party: version 2 was made by write 0 and by write 1"
            ]
        )
    }

    @Test func `one version has one content`() {
        #expect(
            findings(read(2, from: 0, to: 1, "a"), read(2, from: 2, to: 3, "b"))
                == ["party: version 2 is 'a' for read 0, and 'b' for read 2"]
        )
    }

    @Test func `a conditional write changes only the version that it names`() {
        #expect(findings(write(6, from: 0, to: 5, expecting: 5)) == [])
        #expect(
            findings(write(7, from: 0, to: 5, expecting: 5))
                == ["party: write 0 made version 7, but might change only version 5"]
        )
    }
}
