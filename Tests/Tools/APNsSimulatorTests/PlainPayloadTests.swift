import Foundation
import LiveActivityContent
import Testing

@testable import APNsSimulator

/// The quick way to read a payload, beside `JSONDecoder`.
@Suite struct PlainPayloadTests {
    /// Updates and ends as they should be, with all that they may have.
    private static let payloads: [[UInt8]] = {
        let state = AdventureAttributes.ContentState(
            heroes: [
                .init(avatar: "🐳", name: "Spouty", healthLevel: 0.3333333333333333, isDown: false),
                .init(avatar: "🦄", name: "Ünï", healthLevel: 1, isDown: true),
            ],
            boss: .init(avatar: "🐲", name: "Ember", healthLevel: 0.0625, phase: "enraged"),
            turn: .init(number: 7, heroIndex: 1, endsEpochSeconds: epoch + 30),
            event: LocalizableText(key: "%1$@ hit %2$@", args: ["Spouty", "Ember"]),
            tick: 12,
            sequence: 34,
            outcome: "won",
            currentHealthLevel: 0.25
        )
        let text = String(decoding: JSON.encode(state), as: UTF8.self)
        let alert = #"{"title":{"loc-key":"%@ is down!","loc-args":["Spouty"]},"body":"Help","sound":"a.wav"}"#
        let start = #"{"aps":{"timestamp":\#(epoch),"content-state":\#(text),"relevance-score":-7.5,"#
        return [
            Array(#"\#(start)"event":"update","stale-date":\#(epoch + 60),"alert":\#(alert)}}"#.utf8),
            Array(#" { "aps" : { "event" : "end" , "timestamp" : 0 , "dismissal-date" : -12 } } "#.utf8),
            payload(),
        ]
    }()

    private func plain(_ bytes: [UInt8]) -> ReceivedPayload? {
        var json = PlainJSON(bytes)
        return try? ReceivedPayload(plain: &json)
    }

    @Test(arguments: payloads)
    func `what is as it should be is read, and as a phone reads it`(bytes: [UInt8]) throws {
        #expect(try plain(bytes) == ReceivedPayload(decodingSlowly: bytes))
    }

    @Test func `what our server writes is read the quick way`() throws {
        let bytes = try LiveActivityPayload(
            timestamp: epoch,
            event: .update(
                staleDate: epoch + 60,
                relevanceScore: 75,
                alert: .init(title: .init(key: "Victory"), body: .init(key: "Victory"), sound: "a.wav")
            ),
            contentState: JSON.encode(contentState())
        ).encoded()
        #expect(plain(bytes) != nil)
    }

    /// Each byte in turn is left out, doubled, and replaced by what means something in JSON.
    @Test(arguments: payloads)
    func `whatever is read the quick way is what a phone reads`(bytes: [UInt8]) throws {
        let others = Array(#" "\{}[],:.-+0e9atn"#.utf8) + [0x00, 0x0b, 0x80, 0xff]
        var read = 0
        for index in bytes.indices {
            let changes = others.map { [$0] } + [[], [bytes[index], bytes[index]]]
            // The rest of the alphabet of JSON has its turn at every few bytes: all of it at each would take minutes.
            for (number, change) in changes.enumerated() where (number + index).isMultiple(of: 7) {
                var changed = bytes
                changed.replaceSubrange(index...index, with: change)
                guard let plain = plain(changed) else { continue }
                read += 1
                let slow = try? ReceivedPayload(decodingSlowly: changed)
                #expect(plain == slow, "\(String(decoding: changed, as: UTF8.self))")
            }
        }
        #expect(read > 0)
    }

    @Test(arguments: [
        #"{"aps":{"timestamp":1,"event":"end"}} x"#, #"{"aps":{"timestamp":1,"event":"end"},"aps":{}}"#,
        #"{"aps":{"timestamp":1,"timestamp":2,"event":"end"}}"#, #"{"aps":{"timestamp":01,"event":"end"}}"#,
        #"{"aps":{"timestamp":1e3,"event":"end"}}"#, #"{"aps":{"timestamp":1.0,"event":"end"}}"#,
        #"{"aps":{"timestamp":1,"event":"\u0065nd"}}"#, #"{"aps":{"timestamp":1,"event":"end","alert":null}}"#,
        #"{"aps":{"timestamp":99999999999999999999,"event":"end"}}"#, #"{"aps":{"timestamp":1,"event":"end","x":1}}"#,
        #"{"aps":{"timestamp":1,"event":"end","relevance-score":5.}}"#, #"{"aps":{"timestamp":1,"event":"end""#, "",
        #"{"aps":{"timestamp":1,"event":"end","relevance-score":\#(String(repeating: "9", count: 400))}}"#,
    ])
    func `what is not plain is left to others`(text: String) {
        #expect(plain(Array(text.utf8)) == nil)
    }
}
