import PostgresClient
import Testing

@testable import GameStore

@Suite struct EventCodingTests {
    @Test func `the error of an undecodable entry says what is wrong`() throws {
        #expect(try reason(kind: "activityMoved", body: "{}") == "unknown kind 'activityMoved'")
        // For a known kind, the error names the missing field instead of calling the kind unknown.
        let reason = try reason(kind: "activityReleased", body: #"{"sequence":1}"#)
        #expect(reason.contains("kind 'activityReleased'") && reason.contains("activityID"))
        #expect(!reason.contains("unknown"))
    }

    private func reason(kind: String, body: String) throws -> String {
        let content = EventCoding.content(kind: kind, sequence: nil, body: JSONB(body), row: "0/1")
        guard case .unreadable(.undecodable(table: "events", id: "0/1", let reason)) = content else {
            throw UnexpectedEntry()
        }
        return reason
    }

    private struct UnexpectedEntry: Error {}
}
