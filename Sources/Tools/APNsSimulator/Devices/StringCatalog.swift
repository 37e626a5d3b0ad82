import Foundation
import LiveActivityContent

/// The sentences of the app in every language: a String Catalog (`.xcstrings`) as Xcode keeps it.
struct StringCatalog: Sendable {
    /// The language that the app is written in.
    let sourceLanguage: String
    /// By key, then by language.
    private let translations: [String: [String: String]]

    /// Reads a String Catalog.
    ///
    /// Of a key's variations (plurals, devices) it takes none.
    /// - Throws: `DecodingError` when the bytes are not such a file.
    init(decoding bytes: [UInt8]) throws {
        let file = try JSONDecoder().decode(File.self, from: Data(bytes))
        sourceLanguage = file.sourceLanguage
        translations = file.strings.mapValues { entry in
            (entry.localizations ?? [:]).compactMapValues { $0.stringUnit?.value }
        }
    }

    /// A sentence as a phone with that locale says it.
    ///
    /// Languages are tried as phones do, from the special to the general (`zh-Hant-TW`, `zh-Hant`, `zh`), then the
    /// app's own language, then the key itself.
    func text(_ text: LocalizableText, for locale: String) -> String {
        let byLanguage = translations[text.key] ?? [:]
        let languages = Self.languages(for: locale) + [sourceLanguage]
        let translation = languages.lazy.compactMap { byLanguage[$0] }.first
        return text.filled(into: translation ?? text.key)
    }

    /// Whether the app has a sentence of that key.
    func has(_ key: String) -> Bool { translations[key] != nil }

    /// How many arguments the sentence of that key takes; nil when there is none.
    func argumentCount(of key: String) -> Int? {
        translations[key].map { LocalizableText.argumentCount(in: $0[sourceLanguage] ?? key) }
    }

    private static func languages(for locale: String) -> [String] {
        var parts = locale.split(whereSeparator: { $0 == "-" || $0 == "_" })
        var languages: [String] = []
        while !parts.isEmpty {
            languages.append(parts.joined(separator: "-"))
            parts.removeLast()
        }
        // Chinese without a script is written in the simplified one, except where the traditional one is usual.
        if locale.hasPrefix("zh"), !["Hant", "TW", "HK", "MO"].contains(where: locale.contains) {
            languages.append("zh-Hans")
        }
        return languages
    }

    private struct File: Decodable {
        let sourceLanguage: String
        let strings: [String: Entry]
    }

    private struct Entry: Decodable {
        let localizations: [String: Localization]?
    }

    private struct Localization: Decodable {
        let stringUnit: StringUnit?
    }

    private struct StringUnit: Decodable {
        let value: String
    }
}
