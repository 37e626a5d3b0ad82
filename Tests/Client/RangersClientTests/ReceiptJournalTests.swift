import Foundation
import GameCore
import Testing

@testable import RangersClient

@Suite struct ReceiptJournalTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)
    private static let deviceID = DeviceID(rawValue: UUID(uuidString: "00000000-0000-4000-8000-000000000001") ?? UUID())
    private static let adventureID = AdventureID(rawValue: UUID())
    private static let activityID = ActivityID(rawValue: UUID())

    @Test func `a journal keeps the first time of each of the newest states, and is bounded`() {
        var journal = ReceiptJournal()
        for second in 0..<100 {
            for sequence in [second, second / 2] {
                journal.observe(
                    .shown(sequence: sequence),
                    of: Self.activityID,
                    showing: Self.adventureID,
                    at: Self.start + TimeInterval(second)
                )
            }
        }
        #expect(journal.activities.map(\.shown.count) == [32])
        #expect(journal.activities.first?.shown[99] == Self.start + 99)
        for _ in 0..<20 {
            let other = ActivityID(rawValue: UUID())
            journal.observe(.tapped, of: other, showing: Self.adventureID, at: Self.start)
            journal.observe(.dismissed, of: other, showing: Self.adventureID, at: Self.start)
            journal.observe(.dismissed, of: other, showing: Self.adventureID, at: Self.start + 5)
        }
        #expect(journal.activities.count == 8)
        #expect(journal.activities.allSatisfy { $0.dismissedAt == Self.start && $0.taps == 1 && $0.showing == nil })
    }

    @Test func `a report that fails is sent again, with the time and the receipts of that attempt`() async throws {
        let transport = ScriptedTransport(.response(503, "{}"), .response(202, "{}"))
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport, clock: JumpingClock()))
        let reporter = LiveActivityReporter(
            player: server.player(with: PlayerToken("erp_secret")),
            on: Self.deviceID,
            settings: { DeviceSettings(environment: .simulator, frequentPushesEnabled: true) }
        )
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        change.yield()
        change.finish()
        var journal = ReceiptJournal()
        journal.observe(.shown(sequence: 7), of: Self.activityID, showing: Self.adventureID, at: Self.start)
        let receipts = Receipts(device: .init(liveActivitiesEnabled: true), activities: journal.activities)
        let now: @Sendable () -> Date = { Self.start + 60 }
        await reporter.reportReceipts(changes: changes, now: now) { receipts }
        let requests = transport.requests
        #expect(requests.count == 2)
        #expect(requests.last?.url.path == "/v1/players/me/devices/\(Self.deviceID)/receipts")
        let body = try #require(requests.last?.body)
        #expect(
            String(decoding: body, as: UTF8.self) == """
                {"activities":[{"activityID":"\(Self.activityID)","adventureID":"\(Self.adventureID)",\
                "showing":7,"shown":[{"at":"2026-09-21T14:13:20.000Z","sequence":7}],"shownCount":1,"taps":0}],\
                "device":{"liveActivitiesEnabled":true,"lowPowerMode":false},"sentAt":"2026-09-21T14:14:20.000Z"}
                """
        )
    }
}
