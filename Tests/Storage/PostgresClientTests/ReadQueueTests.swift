import Testing

@testable import PostgresClient

/// Transcripts with one line per event and its expected action.
///
/// Letters stand for reads.
@Suite struct ReadQueueTests {
    private typealias Queue = ReadQueue<String>

    /// Adds reads and returns whether each of them requires another sender.
    private func add(_ reads: String, to queue: inout Queue) -> [Bool] {
        reads.map { queue.add(String($0)).needsSender }
    }

    private func next(_ queue: inout Queue) -> String? {
        queue.next().map { $0.map(\.read).joined() }
    }

    @Test func `a sender takes all reads that wait when it sends, until none is left`() {
        var queue = Queue(senderLimit: 2, senderThreshold: 8, sizeLimit: 64)
        #expect(add("ab", to: &queue) == [true, false])
        #expect(next(&queue) == "ab")
        #expect(add("cd", to: &queue) == [false, false])
        #expect(next(&queue) == "cd")
        #expect(next(&queue) == nil)
        #expect(add("e", to: &queue) == [true])
        #expect(next(&queue) == "e")
    }

    @Test func `another sender starts at the threshold, up to the limit`() {
        var queue = Queue(senderLimit: 2, senderThreshold: 3, sizeLimit: 64)
        #expect(add("a", to: &queue) == [true])
        #expect(next(&queue) == "a")
        #expect(add("bcd", to: &queue) == [false, false, true])
        #expect(next(&queue) == "bcd")
        #expect(add("efgh", to: &queue) == [false, false, false, false])
        #expect(next(&queue) == "efgh")
        #expect(next(&queue) == nil)
        #expect(next(&queue) == nil)
        #expect(add("i", to: &queue) == [true])
    }

    @Test func `a batch is limited in size and keeps the order of arrival`() {
        var queue = Queue(senderLimit: 1, senderThreshold: 8, sizeLimit: 2)
        #expect(add("abcde", to: &queue) == [true, false, false, false, false])
        #expect(["ab", "cd", "e", nil].allSatisfy { next(&queue) == $0 })
    }

    @Test func `a withdrawn read is not sent`() {
        var queue = Queue(senderLimit: 1, senderThreshold: 8, sizeLimit: 64)
        _ = queue.add("a")
        let (second, _) = queue.add("b")
        _ = queue.add("c")
        queue.abandon(second)
        #expect(next(&queue) == "ac")
        queue.abandon(second)
        #expect(next(&queue) == nil)
    }
}
