import Foundation
import LiveActivityContent
import Testing

struct LocalizableTextTests {
    @Test func `placeholders without numbers take the arguments in order`() {
        #expect(LocalizableText(key: "%@ met %@.", args: ["Spouty", "Ember"]).english == "Spouty met Ember.")
    }

    @Test func `numbered placeholders take their arguments in any order`() {
        let text = LocalizableText(key: "%1$@ helped %2$@ up.", args: ["Spouty", "Ember"])
        #expect(text.english == "Spouty helped Ember up.")
        #expect(text.filled(into: "%2$@ was helped up by %1$@.") == "Ember was helped up by Spouty.")
    }

    @Test func `two percent signs give one`() {
        #expect(LocalizableText(key: "100%% of %@", args: ["nothing"]).english == "100% of nothing")
    }

    @Test(arguments: ["%", "%d", "%1$", "%1@", "%0$@", "%$@", "50 % of it", "%99999999999999999999$@"])
    func `text that is not a placeholder stays as it is`(text: String) {
        #expect(LocalizableText(key: text, args: ["x"]).english == text)
    }

    @Test func `a placeholder without its argument stays as it is`() {
        #expect(LocalizableText(key: "%@ and %@", args: ["one"]).english == "one and %@")
        #expect(LocalizableText(key: "%3$@", args: ["one"]).english == "%3$@")
    }

    @Test func `an argument that looks like a placeholder is not replaced`() {
        #expect(LocalizableText(key: "%@, %@", args: ["%2$@", "%%"]).english == "%2$@, %%")
    }

    @Test func `an app translates the names among the arguments, and leaves other arguments`() {
        let german = ["%1$@ found %2$@.": "%1$@ findet etwas: %2$@.", "a potion": "ein Trank"]
        let text = LocalizableText(key: "%1$@ found %2$@.", args: ["Ada", "a potion"])
        #expect(text.localized { german[$0] ?? $0 } == "Ada findet etwas: ein Trank.")
    }

    @Test func `attributes and texts are encoded as plain JSON`() throws {
        let attributes = AdventureAttributes(
            adventureID: "0199a5c2-7f31-7000-8000-0000000000a7",
            partyName: "The Shallows",
            heroName: "Spouty",
            heroAvatar: "🐳"
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(attributes), as: UTF8.self)
        #expect(
            json == """
                {"adventureID":"0199a5c2-7f31-7000-8000-0000000000a7","heroAvatar":"🐳","heroName":"Spouty",\
                "partyName":"The Shallows"}
                """
        )
        #expect(try JSONDecoder().decode(AdventureAttributes.self, from: Data(json.utf8)) == attributes)
    }
}
