import EmbeddedFiles
import Foundation
import LiveActivityContent
import Testing

@testable import APNsSimulator

@Suite struct StringCatalogTests {
    @Test(arguments: [
        ("en", "Ember is down!"), ("ko", "Ember 쓰러짐!"), ("ko-KR", "Ember 쓰러짐!"), ("ko_KR", "Ember 쓰러짐!"),
        ("fr", "Ember is down!"), ("kok", "Ember is down!"),
    ])
    func `a phone uses its language, or else the app's`(locale: String, text: String) throws {
        let catalog = try smallCatalog()
        #expect(catalog.text(LocalizableText(key: "%@ is down!", args: ["Ember"]), for: locale) == text)
    }

    @Test func `arguments have the order of the language`() throws {
        let catalog = try smallCatalog()
        let text = LocalizableText(key: "%1$@ hit %2$@", args: ["Ember", "the boss"])
        #expect(catalog.text(text, for: "ko") == "the boss ← Ember")
        #expect(catalog.text(text, for: "zh-Hant-TW") == "Ember 擊中 the boss")
        #expect(catalog.text(text, for: "en") == "Ember hit the boss")
    }

    @Test func `a string without translation or entry is its key`() throws {
        let catalog = try smallCatalog()
        #expect(catalog.text(LocalizableText(key: "Victory"), for: "ko") == "Victory")
        #expect(catalog.text(LocalizableText(key: "New in %@", args: ["2"]), for: "ko") == "New in 2")
    }

    @Test func `the app's embedded catalog can be decoded`() throws {
        let catalog = try StringCatalog(decoding: EmbeddedFile.stringCatalog.bytes)
        let text = LocalizableText(key: "%@ is down!", args: ["Ember"])
        #expect(catalog.text(text, for: "en") == "Ember is down!")
        #expect(catalog.text(text, for: "ko") != "Ember is down!")
    }

    @Test(arguments: [
        ("en", "Spouty is down!", "Give Spouty a potion."),
        ("ar", "\u{2068}Spouty\u{2069} على الأرض!", "هيا، جرعة من أجل \u{2068}Spouty\u{2069}!"),
    ])
    func `an alert is localized with its arguments and sound`(
        locale: String,
        title: String,
        body: String
    ) throws {
        let alert = try JSONDecoder().decode(
            ReceivedAlert.self,
            from: Data(
                #"""
                {"title": {"loc-key": "%@ is down!", "loc-args": ["Spouty"]}, "sound": "hero-down.wav",
                 "body": {"loc-key": "Give %@ a potion.", "loc-args": ["Spouty"]}}
                """#.utf8
            )
        )
        let catalog = try StringCatalog(decoding: EmbeddedFile.stringCatalog.bytes)
        let shown = try #require(ShownAlert(alert, in: catalog, for: locale, at: moment(0)))
        #expect(shown.title == title)
        #expect(shown.body == body)
        #expect(shown.sound == "hero-down.wav")
        #expect(shown.titleKey == "%@ is down!")
    }

    @Test func `an invalid catalog is an error`() {
        #expect(throws: DecodingError.self) { try StringCatalog(decoding: Array("[]".utf8)) }
    }
}
