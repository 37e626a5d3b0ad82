import Foundation
import GameCore
import Simulation
import Testing

@testable import Benchmarks

@Suite struct PushTestimonyTests {
    private static let activity = "00000001-0000-4000-8000-000000000001"

    private func push(
        _ number: Int,
        timestamp: Int = 100,
        status: Int? = 200,
        reaction: String? = "shown",
        activity: String? = PushTestimonyTests.activity,
        fault: String? = nil,
        alert: String = "",
        tokenStart: String? = "0a1b2c"
    ) throws -> WitnessedPush {
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
        return try JSONDecoder().decode(WitnessedPush.self, from: try JSONSerialization.data(withJSONObject: entry))
    }

    @Test func `a push is noted once, with its card and without its state`() throws {
        var testimony = PushTestimony()
        let first = try push(1)
        testimony.note([first, try push(2, timestamp: 101, alert: #","alert":{"title":{}}"#)], at: .now)
        testimony.note([first], at: .now)
        let id = try #require(ActivityID(Self.activity))
        let pushes = try #require(testimony.pushes[id])
        #expect(pushes.map(\.timestamp) == [100, 101])
        #expect(pushes[0].payload.isEmpty)
        #expect(String(decoding: pushes[1].payload, as: UTF8.self).hasSuffix(#""alert":{"title":{}}"#))
        #expect(pushes[0].writtenAt == 1_772_600_767_123_999)
        #expect(testimony.cards[id]?.timestamp == 101)
        #expect(testimony.cards[id]?.payload?.contains(Array(#""content-state":{"tick":1}"#.utf8)) == true)
        #expect(testimony.accepted == 2 && testimony.lastNumber == 2 && testimony.flaws.isEmpty)
    }

    @Test func `what the simulator has forgotten before anyone looked is found`() throws {
        var testimony = PushTestimony()
        testimony.note([try push(1), try push(4)], at: .now)
        #expect(testimony.flaws.count == 1)
    }

    @Test func `a simulator that does not tell tokens apart is found`() throws {
        var testimony = PushTestimony()
        testimony.note([try push(1, tokenStart: nil)], at: .now)
        #expect(testimony.flaws.count == 1)
    }

    @Test func `what became of a push follows from the answer, and a fault keeps the sender from knowing`() throws {
        func record(_ status: Int?, fault: String? = nil) throws -> PushRecord {
            try #require(try push(1, status: status, fault: fault).record)
        }
        #expect(try record(200).fate == .accepted)
        #expect(try record(410).fate == .deadToken)
        #expect(try record(429).fate == .refused)
        #expect(try record(nil, fault: "stall").fate == .underWay)
        #expect(try record(200).toldAt != nil)
        #expect(try record(200, fault: "lostAnswer").toldAt == nil)
        var refused = PushTestimony()
        refused.note([try push(1, status: 429, reaction: nil), try push(2, reaction: "throttled")], at: .now)
        #expect(refused.cards.isEmpty && refused.accepted == 1)
    }

    @Test func `a push to nobody's token is a stray`() throws {
        var testimony = PushTestimony()
        testimony.note([try push(1, status: 400, reaction: nil, activity: nil)], at: .now)
        #expect(testimony.strays.count == 1)
    }
}
