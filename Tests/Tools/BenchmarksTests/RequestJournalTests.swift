import Encodings
import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct RequestJournalTests {
    private func write(
        _ key: String,
        _ status: Int,
        _ response: String = "",
        at second: Int64 = 0
    ) -> ClientHistory.Write {
        ClientHistory.Write(
            method: "POST",
            path: "/v1/adventures/a/commands",
            key: key,
            body: Data(),
            status: status,
            response: Data(response.utf8),
            at: Timestamp(epochSeconds: 1_750_000_000 + second),
            playerID: nil
        )
    }

    @Test func `a 503 needs Retry-After, and other server errors are problems`() {
        let journal = RequestJournal()
        journal.add(200, retryAfter: nil, to: "GET /a")
        journal.add(503, retryAfter: "2", to: "GET /b")
        journal.add(nil, retryAfter: nil, to: "GET /c")
        #expect(journal.problems == [])
        journal.add(503, retryAfter: nil, to: "GET /d")
        journal.add(500, retryAfter: "2", to: "GET /e")
        #expect(
            journal.problems == [
                "GET /d was answered with 503 without Retry-After", "GET /e was answered with 500",
            ]
        )
        #expect(journal.tally.requests == [0: 1, 200: 1, 500: 1, 503: 2])
    }

    @Test func `a write is in doubt until it is acknowledged or refused`() {
        let journal = RequestJournal()
        journal.add(write("done", 0))
        journal.add(write("refused", 503))
        journal.add(write("open", 0))
        journal.add(write("limited", 429))
        #expect(Set(journal.history.inDoubt.compactMap(\.key)) == ["done", "refused", "open", "limited"])
        journal.add(write("done", 200))
        journal.add(write("refused", 409))
        #expect(Set(journal.history.inDoubt.compactMap(\.key)) == ["open", "limited"])
        #expect(journal.history.writes.map(\.key) == ["done"])
        #expect(journal.tally.acknowledged == 1)
    }

    @Test func `a repetition must get the same response, if it gets one`() {
        let journal = RequestJournal()
        journal.addRepetition(of: write("a", 200, "one"), write("a", 200, "one"))
        journal.addRepetition(of: write("a", 200, "one"), write("a", 503))
        journal.addRepetition(of: write("a", 200, "one"), write("a", 0))
        #expect(journal.problems == [])
        #expect(journal.tally.repeated == 1)
        journal.addRepetition(of: write("a", 200, "one"), write("a", 200, "two"))
        journal.addRepetition(of: write("a", 200, "one"), write("a", 409, "one"))
        #expect(journal.problems.count == 2)
    }

    @Test func `what was acknowledged while the database lost commits is in doubt, and nothing else`() {
        let journal = RequestJournal()
        for second in [1, 5, 9] { journal.add(write("\(second)", 200, at: Int64(second))) }
        journal.addRepetition(of: write("5", 200, "one", at: 5), write("5", 200, "two", at: 9))
        journal.addRepetition(of: write("9", 200, "one", at: 9), write("9", 200, "two", at: 9))
        journal.reportProblem("other")
        let (start, end) = (Timestamp(epochSeconds: 1_750_000_004), Timestamp(epochSeconds: 1_750_000_008))
        journal.addLoss(.init(span: start...end, backAt: end))
        #expect(journal.history.writes.map(\.key) == ["1", "9"])
        #expect(journal.history.inDoubt.map(\.key) == ["5"])
        #expect(journal.problems.count == 2)
    }

    @Test func `addresses are handed out in turns`() {
        let nodes = NodeAddresses()
        #expect(nodes.next() == nil)
        nodes.set(1_000, of: 0)
        nodes.set(3_000, of: 2)
        #expect(Set([nodes.next(), nodes.next()]) == [1_000, 3_000])
        nodes.set(3_001, of: 2)
        #expect(Set([nodes.next(), nodes.next()]) == [1_000, 3_001])
    }
}
