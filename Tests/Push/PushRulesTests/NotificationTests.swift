import Foundation
import GameCore
import LiveActivityContent
import Testing

@testable import PushRules

/// Ordinary alerts to devices without a Live Activity.
@Suite struct NotificationTests {
    @Test func `an ordinary alert has flat keys, and the sound beside them`() throws {
        let id = AdventureID(rawValue: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, 7)))
        let rule = PushRules.rule(
            for: .heroDown(hero: Seat(rawValue: 1)),
            receiver: Seat(rawValue: 0),
            heroName: { _ in "Zed" }
        )
        let payload = try #require(rule.alert).notification(of: id)
        #expect(
            String(decoding: try payload.encoded(), as: UTF8.self)
                == #"{"aps":{"alert":{"title-loc-key":"%@ is down!","title-loc-args":["Zed"],"#
                + #""loc-key":"Give %@ a potion.","loc-args":["Zed"]},"sound":"hero-down.wav","#
                + #""interruption-level":"active","relevance-score":0.6,"#
                + #""thread-id":"\#(id)"},"adventureID":"\#(id)"}"#
        )
    }

    @Test func `what asks the player to act breaks through a Focus, and an end is above it in a summary`() throws {
        func notification(after event: AdventureEvent) throws -> NotificationPayload {
            let rule = PushRules.rule(for: event, receiver: Seat(rawValue: 0), heroName: { _ in "Spouty" })
            return try #require(rule.alert).notification(of: AdventureID(rawValue: UUID()))
        }
        let turn = try notification(after: .turnStarted(turn: 1, hero: Seat(rawValue: 0)))
        let end = try notification(after: .adventureEnded(outcome: .completed))
        #expect(turn.interruptionLevel == .timeSensitive && turn.alert.title.key == "It is your turn!")
        #expect(end.interruptionLevel == .active && end.relevanceScore > turn.relevanceScore)
    }
}
