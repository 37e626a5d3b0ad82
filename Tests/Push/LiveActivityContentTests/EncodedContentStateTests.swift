import Foundation
import LiveActivityContent
import Testing

struct EncodedContentStateTests {
    /// The state of the single-hero app.
    private struct OriginalContentState: Codable, Hashable {
        let currentHealthLevel: Double
        let eventDescription: String
    }

    private func encodedByFoundation(_ state: ContentState) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(state), as: UTF8.self)
    }

    private func encoded(_ state: ContentState) -> String {
        String(
            decoding: EncodedContentState(state).bytes(currentHealthLevel: state.currentHealthLevel),
            as: UTF8.self
        )
    }

    @Test(arguments: 0..<100)
    func `a state is encoded byte for byte as Foundation encodes it`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let state = ContentState.random(using: &generator)
        #expect(encoded(state) == (try encodedByFoundation(state)))
    }

    @Test func `every character is escaped as Foundation escapes it`() throws {
        var state = ContentState.journeyCompleted
        for plane in [0x00...0xff, 0x2000...0x20ff, 0xfe00...0xfeff, 0x1f600...0x1f6ff] {
            state.eventDescription = plane.compactMap(Unicode.Scalar.init).map(String.init).joined()
            #expect(encoded(state) == (try encodedByFoundation(state)))
        }
    }

    @Test func `a default decoder decodes a state`() throws {
        for state in [ContentState.bossFight, .journeyCompleted] {
            let decoded = try JSONDecoder().decode(ContentState.self, from: Data(encoded(state).utf8))
            #expect(decoded == state)
        }
    }

    @Test func `the single-hero app decodes its two fields`() throws {
        let decoded = try JSONDecoder().decode(OriginalContentState.self, from: Data(encoded(.bossFight).utf8))
        #expect(
            decoded == OriginalContentState(currentHealthLevel: 0.625, eventDescription: "The boss hit Ember for 12.")
        )
    }

    @Test func `only the health of the own hero differs between members`() {
        let content = EncodedContentState(.bossFight)
        let one = String(decoding: content.bytes(currentHealthLevel: 0.25), as: UTF8.self)
        let other = String(decoding: content.bytes(currentHealthLevel: 1), as: UTF8.self)
        #expect(one.contains(#""currentHealthLevel":0.25,"#))
        #expect(
            one.replacing(#""currentHealthLevel":0.25,"#, with: #""currentHealthLevel":1,"#) == other
        )
    }

    @Test func `an absent value has no key`() {
        let text = encoded(.journeyCompleted)
        #expect(!text.contains("null"))
        #expect(!text.contains("boss"))
        #expect(!text.contains("turn"))
    }

    @Test func `a state with an outcome is over, even if the app does not know the outcome`() throws {
        let text = encoded(.journeyCompleted).replacing(#""completed""#, with: #""swallowedByAWhale""#)
        let decoded = try JSONDecoder().decode(ContentState.self, from: Data(text.utf8))
        #expect(decoded.isOver)
        #expect(decoded.outcome == "swallowedByAWhale")
        #expect(!ContentState.bossFight.isOver)
    }

    @Test func `a health level that is not a number traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = EncodedContentState(.journeyCompleted).bytes(currentHealthLevel: .nan)
        }
    }
}
