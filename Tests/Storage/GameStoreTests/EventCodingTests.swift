import PostgresClient
import Testing

@testable import GameStore

@Suite struct EventCodingTests {
    @Test func `an entry that cannot be read says what is wrong with it`() throws {
        #expect(try reason(kind: "activityMoved", body: "{}") == "unknown kind 'activityMoved'")
        // A kind that is known is not said to be unknown, and what it lacks is named.
        let reason = try reason(kind: "activityReleased", body: #"{"sequence":1}"#)
        #expect(reason.contains("kind 'activityReleased'") && reason.contains("activityID"))
        #expect(!reason.contains("unknown"))
    }

    private func reason(kind: String, body: String) throws -> String {
        let entry = EventCoding.entry(kind: kind, sequence: nil, body: JSONB(body), row: "0/1")
        guard case .unreadable(.undecodable(table: "events", id: "0/1", let reason)) = entry else {
            throw Misread()
        }
        return reason
    }

    private struct Misread: Error {}
}
