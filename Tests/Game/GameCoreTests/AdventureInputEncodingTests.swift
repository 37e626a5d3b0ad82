import GameCore
import Testing

/// The stored form of inputs.
struct AdventureInputEncodingTests {
    private static let player = "01932a5c-77e0-7c41-9b0e-5d2f8a61c3e4"

    @Test(
        "An encoded input decodes to itself",
        arguments: [
            "command \(player) potion", "command \(player) potion 1", "command \(player) attack",
            "command \(player) guard", "command \(player) special", "command \(player) revive 7",
            "command \(player) flee", "command \(player) pass", "command \(player) policy skip",
            "join \(player) spouty experience 40 potions 2", "leave \(player)", "end",
            "raid 4 round 61 until 1790000062000000 health 812/4000 phase 2 parties 30 dealt 3188",
        ]
    )
    func roundTrip(text: String) throws {
        #expect(try AdventureInput(encoded: text).encoded == text)
    }

    @Test("Starts and ticks have no stored form", arguments: [AdventureInput.start, .tick])
    func derivedInputs(input: AdventureInput) {
        #expect(input.encoded == nil)
    }

    @Test(
        "A damaged input is refused",
        arguments: [
            "", "start", "tick", "end now", "command", "command \(player)", "command \(player) dance",
            "command \(player) revive", "command \(player) revive 8", "command \(player) potion -1",
            "command nobody attack", "join \(player) nobody experience 0 potions 0",
            "join \(player) spouty experience -1 potions 0", "leave", "leave \(player) \(player)",
        ]
    )
    func damaged(text: String) {
        #expect(throws: AdventureDecodingError.self) { try AdventureInput(encoded: text) }
    }
}
