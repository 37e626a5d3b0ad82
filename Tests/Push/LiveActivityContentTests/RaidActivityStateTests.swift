import Foundation
import LiveActivityContent
import Testing

struct RaidActivityStateTests {
    private static let state = RaidActivityState(
        boss: AdventureAttributes.BossState(avatar: "🐲", name: "Cinderwing", healthLevel: 0.25, phase: "enraged"),
        health: 250_000,
        maximumHealth: 1_000_000,
        phase: 2,
        parties: 30,
        biggestBlow: 64,
        endsEpochSeconds: 1_800_007_200,
        event: LocalizableText(key: "%@ is enraged!", args: ["Cinderwing"]),
        outcome: nil,
        tick: 125,
        sequence: 1_018
    )

    @Test func `it is encoded as Foundation encodes it, and decoded by a default decoder`() throws {
        var over = Self.state
        (over.outcome, over.biggestBlow) = ("defeated", nil)
        for state in [Self.state, over] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            #expect(
                String(decoding: state.encoded, as: UTF8.self)
                    == String(decoding: try encoder.encode(state), as: UTF8.self)
            )
            #expect(try JSONDecoder().decode(RaidActivityState.self, from: Data(state.encoded)) == state)
            #expect(!String(decoding: state.encoded, as: UTF8.self).contains("null"))
        }
    }

    @Test func `a widget of adventures shows the common boss`() throws {
        let shown = try JSONDecoder().decode(ContentState.self, from: Data(Self.state.encoded))
        #expect(shown.boss == Self.state.boss && shown.heroes.isEmpty && !shown.isOver)
        #expect(shown.currentHealthLevel == 0.25 && shown.eventDescription == "Cinderwing is enraged!")
    }
}
