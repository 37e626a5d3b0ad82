import LiveActivityContent
import Testing

@testable import APNsSimulator

@Suite struct ReceivedPayloadTests {
    @Test func `what our server writes has no faults`() throws {
        let alert = LiveActivityPayload.Alert(
            title: LocalizableText(key: "%@ is down!", args: ["Spouty"]),
            body: LocalizableText(key: "Victory"),
            sound: "hero-down.wav"
        )
        let bytes = try LiveActivityPayload(
            timestamp: epoch,
            event: .update(staleDate: epoch + 60, relevanceScore: 75, alert: alert),
            contentState: JSON.encode(contentState())
        ).encoded()
        let payload = try ReceivedPayload(decoding: bytes)
        #expect(payload.faults.isEmpty)
        #expect(payload.event == .update)
        #expect(payload.timestamp == epoch)
        #expect(payload.staleDate == epoch + 60)
        #expect(payload.relevanceScore == 75)
        #expect(payload.contentState == contentState())
        let shown = ShownAlert(try #require(payload.alert), in: try smallCatalog(), for: "ko", at: moment(0))
        #expect(shown?.title == "Spouty 쓰러짐!")
        #expect(shown?.titleKey == "%@ is down!")
        #expect(shown?.body == "Victory")
        #expect(shown?.sound == "hero-down.wav")
    }

    @Test func `an end needs neither a state nor a stale date`() throws {
        let bytes = Array(#"{"aps":{"timestamp":1,"event":"end","dismissal-date":2}}"#.utf8)
        let payload = try ReceivedPayload(decoding: bytes)
        #expect(payload.faults.isEmpty)
        #expect(payload.dismissalDate == 2)
    }

    @Test func `an update needs both`() throws {
        let payload = try ReceivedPayload(decoding: Array(#"{"aps":{"timestamp":1,"event":"update"}}"#.utf8))
        #expect(payload.faults == [.contentState("aps.content-state: is missing"), .missingStaleDate])
    }

    @Test func `a state in snake case does not decode, and the fault says where`() throws {
        let state = #"{"tick":1,"sequence":"one"}"#
        let bytes = Array(
            #"{"aps":{"timestamp":1,"event":"update","stale-date":9,"content-state":\#(state)}}"#.utf8
        )
        let payload = try ReceivedPayload(decoding: bytes)
        #expect(payload.contentState == nil)
        #expect(payload.faults == [.contentState("aps.content-state.heroes: is missing")])
    }

    @Test(arguments: ["title-loc-key", "title-loc-args", "loc-key", "loc-args"])
    func `flat keys in an alert are a fault`(key: String) throws {
        let value = key.hasSuffix("args") ? "[]" : "\"x\""
        let members = #", "stale-date": 9, "alert": {"title": "a", "\#(key)": \#(value)}"#
        let read = try ReceivedPayload(decoding: payload(members: members))
        #expect(read.faults == [.flatLocalizationKeys])
    }

    @Test(arguments: [
        (#""timestamp":1.5,"event":"end""#, "aps.timestamp: a whole number is expected, of 64 bits at most"),
        (
            #""timestamp":99999999999999999999,"event":"end""#,
            "aps.timestamp: a whole number is expected, of 64 bits at most"
        ),
        (#""timestamp":1e400,"event":"end""#, "aps.timestamp: no number that can be read; it may be too large"),
        (
            #""timestamp":1,"event":"end","relevance-score":-1e400"#,
            "aps.relevance-score: no number that can be read; it may be too large"
        ),
        (#""timestamp":1 "event":"end""#, "The given data was not valid JSON."),
    ])
    func `a number that a phone cannot read is named, and not taken for broken JSON`(
        members: String,
        reason: String
    ) {
        let error = #expect(throws: DecodingError.self) {
            try ReceivedPayload(decoding: Array(#"{"aps":{\#(members)}}"#.utf8))
        }
        #expect(error.map { explanation(of: $0) } == reason)
    }

    @Test func `a state with a fraction where none may be says where`() throws {
        let text = String(decoding: payload(tick: 7), as: UTF8.self).replacing(#""tick":7"#, with: #""tick":7.5"#)
        let read = try ReceivedPayload(decoding: Array(text.utf8))
        #expect(
            read.faults == [.contentState("aps.content-state.tick: a whole number is expected, of 64 bits at most")]
        )
    }

    @Test func `a sound beside the alert is a fault`() throws {
        let read = try ReceivedPayload(decoding: payload(members: #", "stale-date": 9, "sound": "a.wav""#))
        #expect(read.faults == [.soundOutsideAlert])
    }

    @Test func `an alert without a title is none`() throws {
        let members = #", "stale-date": 9, "alert": {"body": "b", "sound": "a.wav"}"#
        let alert = try #require(try ReceivedPayload(decoding: payload(members: members)).alert)
        #expect(ShownAlert(alert, in: try smallCatalog(), for: "en", at: moment(0)) == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"aps":{}}"#, #"{"aps":{"timestamp":1,"event":"begin"}}"#,
        #"{"aps":{"timestamp":"now","event":"update"}}"#,
        #"{"aps":{"timestamp":1,"event":"update","alert":{"title":1}}}"#,
    ])
    func `what has no timestamp or no event that fits cannot be read`(text: String) {
        #expect(throws: DecodingError.self) { try ReceivedPayload(decoding: Array(text.utf8)) }
    }
}
