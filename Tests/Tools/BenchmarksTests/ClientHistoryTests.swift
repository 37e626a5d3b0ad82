import Encodings
import Foundation
import GameCore
import Simulation
import Testing

@testable import Benchmarks

@Suite struct ClientHistoryTests {
    private static let adventure = "00000001-0000-7000-8000-000000000002"
    private static let party = "00000002-0000-7000-8000-000000000002"
    private static let other = "00000003-0000-7000-8000-000000000002"

    private func write(_ method: String, _ path: String, response: String = "{}") -> ClientHistory.Write {
        ClientHistory.Write(
            method: method,
            path: path,
            key: "key",
            body: Data(),
            status: 200,
            response: Data(response.utf8),
            at: Timestamp(epochSeconds: 0),
            playerID: PlayerID(Self.other)
        )
    }

    @Test func `the subject of a write follows from its path and its response`() throws {
        let adventure = try #require(AdventureID(Self.adventure))
        let party = try #require(PartyID(Self.party))
        let activity = ActivityReference(
            adventureID: adventure,
            activityID: try #require(ActivityID(Self.other))
        )
        let subjects: [(ClientHistory.Write, ClientHistory.Subject)] = [
            (write("POST", "/v1/adventures/\(Self.adventure)/commands"), .command(adventure)),
            (write("PUT", "/v1/adventures/\(Self.adventure)/activities/\(Self.other)"), .activity(activity)),
            (write("DELETE", "/v1/adventures/\(Self.adventure)/activities/\(Self.other)"), .other),
            (write("PUT", "/v1/players/me/devices/\(Self.other)"), .device(try #require(DeviceID(Self.other)))),
            (write("POST", "/v1/players/me/devices/\(Self.other)/receipts"), .other),
            (write("POST", "/v1/parties", response: #"{"partyID":"\#(Self.party)"}"#), .party(party)),
            (
                write(
                    "POST",
                    "/v1/parties/\(Self.party)/adventures",
                    response: #"{"adventureID":"\#(Self.adventure)"}"#
                ), .adventure(adventure)
            ),
            (write("DELETE", "/v1/parties/\(Self.party)/members/\(Self.other)"), .departure(party)),
            (write("POST", "/v1/parties/join"), .other),
            (write("POST", "/healthz"), .other),
        ]
        for (write, subject) in subjects { #expect(write.subject == subject, "\(write.method) \(write.path)") }
    }

    @Test func `a party that a member may have left need not exist`() throws {
        var history = ClientHistory()
        history.writes = [write("POST", "/v1/parties", response: #"{"partyID":"\#(Self.party)"}"#)]
        #expect(history.index.parties.count == 1)
        history.inDoubt = [write("DELETE", "/v1/parties/\(Self.party)/members/\(Self.other)")]
        #expect(history.index.parties.isEmpty)
    }

    @Test func `an invariant for which nothing was checked does not hold`() {
        func check(_ count: Int, _ findings: [String] = []) -> InvariantCheck {
            var check = InvariantCheck(of: 1)
            check.checkedCount = count
            check.findings = findings
            return check
        }
        #expect(InvariantResults(checks: [check(1)]).holds)
        #expect(!InvariantResults(checks: [check(1), check(0)]).holds)
        let bad = InvariantResults(checks: [check(5, ["this is wrong"])])
        #expect(!bad.holds)
        var report = Report()
        bad.add(to: &report)
        #expect(report.lines(fitting: nil).last == "invariant 1: this is wrong")
    }
}
