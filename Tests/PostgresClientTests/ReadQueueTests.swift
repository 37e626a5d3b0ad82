import Testing

@testable import PostgresClient

/// Transcripts: one line per event and what is sent.
///
/// Reads are letters.
@Suite struct ReadQueueTests {
    private typealias Queue = ReadQueue<String>

    private func add(_ read: String, to queue: inout Queue) -> String? {
        queue.add(read).1.map(words)
    }

    private func answered(_ queue: inout Queue) -> String? {
        queue.answered().map(words)
    }

    private func words(for batch: Queue.Batch) -> String {
        batch.map(\.read).joined()
    }

    @Test func `a read goes at once while fewer than the limit are under way, and then with all that waited`() {
        var queue = Queue(batchLimit: 2, sizeLimit: 64)
        #expect(add("a", to: &queue) == "a")
        #expect(add("b", to: &queue) == "b")
        #expect(add("c", to: &queue) == nil)
        #expect(add("d", to: &queue) == nil)
        #expect(answered(&queue) == "cd")
        #expect(answered(&queue) == nil)
        #expect(add("e", to: &queue) == "e")
        #expect(add("f", to: &queue) == nil)
    }

    @Test func `a batch serves so many at most, in the order in which they came`() {
        var queue = Queue(batchLimit: 1, sizeLimit: 2)
        #expect(["a", "b", "c", "d"].map { add($0, to: &queue) } == ["a", nil, nil, nil])
        #expect(answered(&queue) == "bc")
        #expect(answered(&queue) == "d")
        #expect(answered(&queue) == nil)
    }

    @Test func `who leaves the queue is not sent`() {
        var queue = Queue(batchLimit: 1, sizeLimit: 64)
        _ = queue.add("a")
        let (second, _) = queue.add("b")
        _ = queue.add("c")
        queue.abandon(second)
        #expect(answered(&queue) == "c")
        queue.abandon(second)
        #expect(answered(&queue) == nil)
    }
}
