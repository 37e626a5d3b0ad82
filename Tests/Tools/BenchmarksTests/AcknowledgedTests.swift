import Encodings
import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct AcknowledgedTests {
    private static let adventure = "00000001-0000-7000-8000-000000000002"
    private static let party = "00000002-0000-7000-8000-000000000002"
    private static let other = "00000003-0000-7000-8000-000000000002"

    private func write(_ method: String, _ path: String, answer: String = "{}") -> Acknowledged.Write {
        Acknowledged.Write(
            method: method,
            path: path,
            key: "key",
            body: Data(),
            status: 200,
            answer: Data(answer.utf8),
            at: Timestamp(epochSeconds: 0),
            playerID: PlayerID(Self.other)
        )
    }

    @Test func `a write is known by its path and its answer`() throws {
        let adventure = try #require(AdventureID(Self.adventure))
        let party = try #require(PartyID(Self.party))
        let card = Acknowledged.ActivityName(
            adventureID: adventure,
            activityID: try #require(ActivityID(Self.other))
        )
        let subjects: [(Acknowledged.Write, Acknowledged.Subject)] = [
            (write("POST", "/v1/adventures/\(Self.adventure)/commands"), .command(adventure)),
            (write("PUT", "/v1/adventures/\(Self.adventure)/activities/\(Self.other)"), .card(card)),
            (write("DELETE", "/v1/adventures/\(Self.adventure)/activities/\(Self.other)"), .other),
            (write("POST", "/v1/parties", answer: #"{"partyID":"\#(Self.party)"}"#), .party(party)),
            (
                write(
                    "POST",
                    "/v1/parties/\(Self.party)/adventures",
                    answer: #"{"adventureID":"\#(Self.adventure)"}"#
                ), .adventure(adventure)
            ),
            (write("DELETE", "/v1/parties/\(Self.party)/members/\(Self.other)"), .leaving(party)),
            (write("POST", "/v1/parties/join"), .other),
            (write("POST", "/healthz"), .other),
        ]
        for (write, subject) in subjects { #expect(write.subject == subject, "\(write.method) \(write.path)") }
    }

    @Test func `a party that somebody may have left need not be there`() throws {
        var acknowledged = Acknowledged()
        acknowledged.writes = [write("POST", "/v1/parties", answer: #"{"partyID":"\#(Self.party)"}"#)]
        #expect(acknowledged.ledger.parties.count == 1)
        acknowledged.inDoubt = [write("DELETE", "/v1/parties/\(Self.party)/members/\(Self.other)")]
        #expect(acknowledged.ledger.parties.isEmpty)
    }

    @Test func `nothing looked at is no good verdict`() {
        func row(lookedAt: Int, _ violations: [String]) -> Verdict.Row {
            Verdict.Row(
                invariant: 1,
                name: "all is well",
                lookedAt: lookedAt,
                things: "things",
                violationCount: violations.count,
                violations: violations
            )
        }
        #expect(Verdict(rows: [row(lookedAt: 1, [])]).holds)
        #expect(!Verdict(rows: [row(lookedAt: 1, []), row(lookedAt: 0, [])]).holds)
        let bad = Verdict(rows: [row(lookedAt: 5, ["this is wrong"])])
        #expect(!bad.holds)
        #expect(bad.lines(fitting: nil).last == "invariant 1: this is wrong")
    }
}
