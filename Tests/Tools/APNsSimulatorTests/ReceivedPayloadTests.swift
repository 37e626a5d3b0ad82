import LiveActivityContent
import Testing

@testable import APNsSimulator

@Suite struct ReceivedPayloadTests {
    @Test func `the payloads of our server have no defects`() throws {
        let alert = LiveActivityPayload.Alert(
            title: LocalizableText(key: "%@ is down!", args: ["Spouty"]),
            body: LocalizableText(key: "Victory"),
            sound: "hero-down.wav"
        )
        let bytes = try LiveActivityPayload(
            timestamp: epoch,
            event: .update(staleDate: epoch + 60, relevanceScore: 75, alert: alert),
            contentState: SortedJSON.encode(contentState())
        ).encoded()
        let payload = try ReceivedPayload(decoding: bytes)
        #expect(payload.defects.isEmpty)
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
        #expect(payload.defects.isEmpty)
        #expect(payload.dismissalDate == 2)
    }

    @Test func `an update needs a state and a stale date`() throws {
        let payload = try ReceivedPayload(decoding: Array(#"{"aps":{"timestamp":1,"event":"update"}}"#.utf8))
        #expect(payload.defects == [.contentState("aps.content-state: is missing"), .missingStaleDate])
    }

    @Test func `an undecodable state is a defect with its path`() throws {
        let state = #"{"tick":1,"sequence":"one"}"#
        let bytes = Array(
            #"{"aps":{"timestamp":1,"event":"update","stale-date":9,"content-state":\#(state)}}"#.utf8
        )
        let payload = try ReceivedPayload(decoding: bytes)
        #expect(payload.contentState == nil)
        #expect(payload.defects == [.contentState("aps.content-state.heroes: is missing")])
    }

    @Test(arguments: ["title-loc-key", "title-loc-args", "loc-key", "loc-args"])
    func `flat keys in an alert are a defect`(key: String) throws {
        let value = key.hasSuffix("args") ? "[]" : "\"x\""
        let members = #", "stale-date": 9, "alert": {"title": "a", "\#(key)": \#(value)}"#
        let read = try ReceivedPayload(decoding: payload(members: members))
        #expect(read.defects == [.flatLocalizationKeys])
    }

    @Test(arguments: [
        (#""timestamp":1.5,"event":"end""#, "aps.timestamp: expected an integer of at most 64 bits"),
        (
            #""timestamp":99999999999999999999,"event":"end""#,
            "aps.timestamp: expected an integer of at most 64 bits"
        ),
        (#""timestamp":1e400,"event":"end""#, "aps.timestamp: the number cannot be read; it may be too large"),
        (
            #""timestamp":1,"event":"end","relevance-score":-1e400"#,
            "aps.relevance-score: the number cannot be read; it may be too large"
        ),
        (#""timestamp":1 "event":"end""#, "The given data was not valid JSON."),
    ])
    func `an unsupported number is named, and not reported as invalid JSON`(
        members: String,
        reason: String
    ) {
        let error = #expect(throws: DecodingError.self) {
            try ReceivedPayload(decoding: Array(#"{"aps":{\#(members)}}"#.utf8))
        }
        #expect(error.map { explanation(of: $0) } == reason)
    }

    @Test func `a fraction in place of an integer is a defect with its path`() throws {
        let text = String(decoding: payload(tick: 7), as: UTF8.self).replacing(#""tick":7"#, with: #""tick":7.5"#)
        let read = try ReceivedPayload(decoding: Array(text.utf8))
        #expect(
            read.defects == [.contentState("aps.content-state.tick: expected an integer of at most 64 bits")]
        )
    }

    @Test func `a sound outside the alert is a defect`() throws {
        let read = try ReceivedPayload(decoding: payload(members: #", "stale-date": 9, "sound": "a.wav""#))
        #expect(read.defects == [.soundOutsideAlert])
    }

    @Test func `an alert without a title is not shown`() throws {
        let members = #", "stale-date": 9, "alert": {"body": "b", "sound": "a.wav"}"#
        let alert = try #require(try ReceivedPayload(decoding: payload(members: members)).alert)
        #expect(ShownAlert(alert, in: try smallCatalog(), for: "en", at: moment(0)) == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"aps":{}}"#, #"{"aps":{"timestamp":1,"event":"begin"}}"#,
        #"{"aps":{"timestamp":"now","event":"update"}}"#,
        #"{"aps":{"timestamp":1,"event":"update","alert":{"title":1}}}"#,
    ])
    func `a payload without a valid timestamp and event cannot be decoded`(text: String) {
        #expect(throws: DecodingError.self) { try ReceivedPayload(decoding: Array(text.utf8)) }
    }
}
