import Foundation
import GameCore
import SimulatedPlayers
import Simulation
import Testing

@testable import Benchmarks

@Suite struct RecordedPushesTests {
    private static let activity = "00000001-0000-4000-8000-000000000001"

    private func push(
        _ number: Int,
        timestamp: Int = 100,
        status: Int? = 200,
        reaction: String? = "shown",
        activity: String? = RecordedPushesTests.activity,
        fault: String? = nil,
        alert: String = "",
        tokenStart: String? = "0a1b2c"
    ) throws -> LoggedPush {
        let payload = #"{"aps":{"timestamp":\#(timestamp),"event":"update"\#(alert),"content-state":{"tick":1}}}"#
        var entry: [String: Any] = [
            "number": number, "time": "2026-03-04T05:06:07.123Z", "apnsID": UUID().uuidString.lowercased(),
            "priority": 10, "payload": payload,
        ]
        entry["tokenStart"] = tokenStart
        entry["activityID"] = activity
        entry["status"] = status
        entry["reaction"] = reaction
        entry["fault"] = fault
        return try JSONDecoder().decode(LoggedPush.self, from: try JSONSerialization.data(withJSONObject: entry))
    }

    @Test func `a push is recorded once, with its state for the activity only`() throws {
        var recorded = RecordedPushes()
        let first = try push(1)
        recorded.add([first, try push(2, timestamp: 101, alert: #","alert":{"title":{}}"#)], at: .now)
        recorded.add([first], at: .now)
        let id = try #require(ActivityID(Self.activity))
        let pushes = try #require(recorded.pushes[id])
        #expect(pushes.map(\.timestamp) == [100, 101])
        #expect(pushes[0].payload.isEmpty)
        #expect(String(decoding: pushes[1].payload, as: UTF8.self).hasSuffix(#""alert":{"title":{}}"#))
        #expect(pushes[0].writtenAt == 1_772_600_767_123_999)
        #expect(recorded.shown[id]?.timestamp == 101)
        #expect(recorded.shown[id]?.payload?.contains(Array(#""content-state":{"tick":1}"#.utf8)) == true)
        #expect(recorded.accepted == 2 && recorded.lastNumber == 2 && recorded.gaps.isEmpty)
    }

    @Test func `a gap in the numbers is reported`() throws {
        var recorded = RecordedPushes()
        recorded.add([try push(1), try push(4)], at: .now)
        #expect(recorded.gaps.count == 1)
    }

    @Test func `a push without a token is reported`() throws {
        var recorded = RecordedPushes()
        recorded.add([try push(1, tokenStart: nil)], at: .now)
        #expect(recorded.gaps.count == 1)
    }

    @Test func `the outcome of a push follows from the response, which a fault withholds from the sender`() throws {
        func record(_ status: Int?, fault: String? = nil) throws -> PushRecord {
            try #require(try push(1, status: status, fault: fault).record)
        }
        #expect(try record(200).outcome == .accepted)
        #expect(try record(410).outcome == .deadToken)
        #expect(try record(429).outcome == .rejected)
        #expect(try record(nil, fault: "stall").outcome == .inFlight)
        #expect(try record(200).responseReceivedAt != nil)
        #expect(try record(200, fault: "lostResponse").responseReceivedAt == nil)
        var rejected = RecordedPushes()
        rejected.add([try push(1, status: 429, reaction: nil), try push(2, reaction: "throttled")], at: .now)
        #expect(rejected.shown.isEmpty && rejected.accepted == 1)
    }

    @Test func `a push to an unknown token is a stray`() throws {
        var recorded = RecordedPushes()
        recorded.add([try push(1, status: 400, reaction: nil, activity: nil)], at: .now)
        #expect(recorded.strays.count == 1)
    }
}
