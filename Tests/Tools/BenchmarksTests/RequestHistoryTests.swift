import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct RequestHistoryTests {
    private static let party = "00000002-0000-7000-8000-000000000002"
    private static let adventure = "00000001-0000-7000-8000-000000000002"
    private static let player = "00000003-0000-7000-8000-000000000003"

    private func attempt(
        _ method: String,
        _ path: String,
        key: String? = nil,
        at start: Int,
        to end: Int? = nil,
        _ status: Int,
        _ response: String = ""
    ) -> RequestAttempt {
        RequestAttempt(
            playerID: PlayerID(Self.player),
            method: method,
            path: path,
            key: key,
            invokedAt: .seconds(start),
            respondedAt: .seconds(end ?? start + 1),
            status: status,
            response: Data(response.utf8)
        )
    }

    private func party(_ version: Int, code: String = "A", on adventure: String? = nil) -> String {
        let current = adventure.map { #", "adventureID": "\#($0)""# } ?? ""
        return """
            {"partyID": "\(Self.party)", "version": \(version), "leaderID": "\(Self.player)", "inviteCode": "\(code)", \
            "members": [{"playerID": "\(Self.player)"}]\(current)}
            """
    }

    private func adventure(_ sequence: Int) -> String {
        #"{"adventureID": "\#(Self.adventure)", "sequence": \#(sequence), "tick": \#(sequence), "heroes": []}"#
    }

    private func results(
        _ attempts: [RequestAttempt],
        losing losses: [ClosedRange<Duration>] = []
    ) -> (HistoryResults, problems: [String]) {
        let history = RequestHistory()
        for loss in losses { history.addLoss(loss) }
        let creation = attempt("POST", "/v1/parties", key: "create", at: 0, 201, party(1))
        let problems = ([creation] + attempts).compactMap(history.add)
        return (history.results(), problems)
    }

    @Test func `attempts with one key are one request`() {
        let path = "/v1/parties/\(Self.party)/invite-code"
        let (results, problems) = results([
            attempt("POST", path, key: "a", at: 2, 0), attempt("POST", path, key: "a", at: 6, 200, party(2, code: "B")),
            // The first attempt was carried out at once, and its repetition got the stored response.
            attempt("GET", "/v1/parties/\(Self.party)", at: 4, 200, party(2, code: "B")),
            attempt("POST", path, key: "a", at: 9, 200, party(2, code: "B")),
        ])
        #expect(problems == [] && results.findings == [] && results.holds)
        #expect(results == HistoryResults(reads: 1, writes: 2, objects: 1, parties: 1))
    }

    @Test func `a lost update is found by the versions and by the search`() {
        let path = "/v1/parties/\(Self.party)/invite-code"
        let (results, _) = results([
            attempt("POST", path, key: "a", at: 2, to: 6, 200, party(2, code: "B")),
            attempt("POST", path, key: "b", at: 3, to: 5, 200, party(2, code: "C")),
        ])
        #expect(results.findings.count == 3 && !results.holds, "\(results.findings)")
    }

    @Test func `a start that later reads do not show is found`() {
        let path = "/v1/parties/\(Self.party)"
        let start = attempt("POST", "\(path)/adventures", key: "a", at: 2, 201, adventure(1))
        let shown = attempt("GET", path, at: 6, 200, party(2, on: Self.adventure))
        #expect(results([start, shown]).0.findings == [])
        let stale = attempt("GET", path, at: 4, 200, party(1))
        #expect(results([start, stale, shown]).0.findings.count == 1)
    }

    @Test func `an adventure never goes backwards`() {
        let path = "/v1/adventures/\(Self.adventure)"
        let command = #"{"events": [{"sequence": 5}], "adventure": \#(adventure(5))}"#
        let write = attempt("POST", "\(path)/commands", key: "a", at: 2, 200, command)
        #expect(results([write, attempt("GET", path, at: 4, 200, adventure(5))]).0.findings == [])
        let (stale, _) = results([write, attempt("GET", path, at: 4, 200, adventure(4))])
        #expect(stale.findings.first?.contains("stale read") ?? false)
    }

    @Test func `a busy shard refuses a write, another 503 leaves its outcome unknown`() {
        let path = "/v1/parties/\(Self.party)/invite-code"
        let busy = #"{"type": "https://example.com/problems/shard-busy"}"#
        #expect(results([attempt("POST", path, key: "a", at: 2, 503, busy)]).0.refused == 1)
        #expect(results([attempt("POST", path, key: "a", at: 2, 503, "{}")]).0.unknown == 1)
        // A refusal after that does not tell what became of the first attempt.
        let attempts = [attempt("POST", path, key: "a", at: 2, 0), attempt("POST", path, key: "a", at: 4, 409)]
        let seen = attempt("GET", "/v1/parties/\(Self.party)", at: 6, 200, party(2, code: "B"))
        #expect(results(attempts + [seen]).0 == HistoryResults(reads: 1, writes: 1, unknown: 1, objects: 1, parties: 1))
    }

    @Test func `what the database has lost may have happened or not, and what it has not lost must have`() {
        let party = "/v1/parties/\(Self.party)"
        let codes = ["a", "b"].enumerated().map { number, key in
            attempt(
                "POST",
                party + "/invite-code",
                key: key,
                at: 4 + 2 * number,
                200,
                self.party(2 + number, code: key)
            )
        }
        let seen = attempt("GET", party, at: 8, 200, self.party(3, code: "b"))
        let after = (1...3).map {
            attempt("GET", party, at: 20, 200, self.party($0, code: $0 == 1 ? "A" : ["a", "b"][$0 - 2]))
        }
        for state in after {
            let isNewest = state.response == seen.response
            #expect(results(codes + [seen, state]).0.findings.isEmpty == isNewest)
            #expect(results(codes + [seen, state], losing: [.seconds(3)...(.seconds(12))]).0.findings == [])
        }
        // The first code was renewed before the moment to which the database came back.
        let loss: [ClosedRange<Duration>] = [.milliseconds(5_500)...(.seconds(12))]
        #expect(results(codes + [seen, after[1]], losing: loss).0.findings == [])
        #expect(results(codes + [seen, after[0]], losing: loss).0.findings != [])
    }

    @Test func `an unreadable response is a problem`() {
        let (_, problems) = results([attempt("GET", "/v1/parties/\(Self.party)", at: 2, 200, "{}")])
        #expect(problems.count == 1 && problems[0].contains("/v1/parties/\(Self.party) cannot be read"))
    }

    @Test func `latencies are those of other shards within a span of time`() throws {
        let history = RequestHistory()
        let other = "00000002-0000-7000-8000-000000000005"
        for attempt in [
            attempt("GET", "/v1/parties/\(other)", at: 1, to: 9, 200, party(1)),
            attempt("GET", "/v1/parties/\(other)", at: 3, to: 5, 503),
            attempt("GET", "/v1/parties/\(Self.party)", at: 3, to: 8, 0),
        ] { _ = history.add(attempt) }
        let locked: Set = [Shard(rawValue: 2)]
        #expect(history.latencies(from: .seconds(2), to: .seconds(4), except: locked) == [2])
    }
}
