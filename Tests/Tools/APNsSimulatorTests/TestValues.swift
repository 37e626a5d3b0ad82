import Encodings
import Foundation
import LiveActivityContent

@testable import APNsSimulator

/// The times of the tests, in seconds from a fixed one.
func moment(_ seconds: Int64) -> Moment {
    Moment(epochMilliseconds: (epoch + seconds) * 1000)
}

/// That fixed time, in UNIX seconds.
let epoch: Int64 = 1_790_000_000

/// What Live Activities of the tests' app are pushed with.
let topic = "com.example.rangers.push-type.liveactivity"

/// A catalogue with two languages.
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

/// A content state that tells itself apart by its tick.
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

/// A payload as text, with what a good update has, and more members or fewer as told.
func payload(
    _ event: String = "update",
    timestamp: Int64 = epoch,
    tick: Int = 1,
    members: String = #", "stale-date": 1790000600"#
) -> [UInt8] {
    let state = String(decoding: JSON.encode(contentState(tick: tick)), as: UTF8.self)
    return Array(
        #"{"aps": {"timestamp": \#(timestamp), "event": "\#(event)", "content-state": \#(state)\#(members)}}"#.utf8
    )
}

/// A start as it should be.
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
