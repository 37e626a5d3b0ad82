import Encodings
import Foundation
import LiveActivityContent

@testable import APNsSimulator

/// Returns the time some seconds after the tests' fixed time.
func moment(_ seconds: Int64) -> Timestamp {
    Timestamp(epochSeconds: epoch + seconds)
}

/// The tests' fixed time, in UNIX seconds.
let epoch: Int64 = 1_790_000_000

/// The topic of the tests' app.
let topic = "com.example.rangers.push-type.liveactivity"

/// Returns a catalog with two languages.
func smallCatalog() throws -> StringCatalog {
    try StringCatalog(
        decoding: Array(
            """
            {"sourceLanguage": "en", "version": "1.0", "strings": {
              "%@ is down!": {"localizations": {
                "en": {"stringUnit": {"state": "translated", "value": "%@ is down!"}},
                "ko": {"stringUnit": {"state": "translated", "value": "%@ 쓰러짐!"}}}},
              "%1$@ hit %2$@": {"localizations": {
                "ko": {"stringUnit": {"state": "translated", "value": "%2$@ ← %1$@"}},
                "zh-Hant": {"stringUnit": {"state": "translated", "value": "%1$@ 擊中 %2$@"}}}},
              "Victory": {}
            }}
            """.utf8
        )
    )
}

/// Returns a content state with a tick that identifies it.
func contentState(tick: Int = 1) -> AdventureAttributes.ContentState {
    AdventureAttributes.ContentState(
        heroes: [.init(avatar: "🐳", name: "Spouty", healthLevel: 0.5, isDown: false)],
        boss: nil,
        turn: nil,
        event: LocalizableText(key: "%@ is down!", args: ["Spouty"]),
        tick: tick,
        sequence: tick,
        outcome: nil,
        currentHealthLevel: 0.5
    )
}

/// Returns the payload of a valid update, or one with other members.
func payload(
    _ event: String = "update",
    timestamp: Int64 = epoch,
    tick: Int = 1,
    members: String = #", "stale-date": 1790000600"#
) -> [UInt8] {
    let state = String(decoding: SortedJSON.encode(contentState(tick: tick)), as: UTF8.self)
    return Array(
        #"{"aps": {"timestamp": \#(timestamp), "event": "\#(event)", "content-state": \#(state)\#(members)}}"#.utf8
    )
}

/// Returns the payload of a valid start.
func startPayload(of adventureID: String) -> [UInt8] {
    payload(
        "start",
        members: #"""
            , "alert": {"title": {"loc-key": "Victory"}, "body": "Hurrah"}, "stale-date": 1790000600, "input-push-token": 1, \#
            "attributes-type": "AdventureAttributes", "attributes": {"adventureID": "\#(adventureID)", \#
            "partyName": "The Party", "heroName": "Spouty", "heroAvatar": "🐳"}
            """#
    )
}
