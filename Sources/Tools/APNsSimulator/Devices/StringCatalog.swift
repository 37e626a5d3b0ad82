import Foundation
import LiveActivityContent

/// The app's localized strings: a String Catalog (`.xcstrings`) in Xcode's format.
struct StringCatalog: Sendable {
    /// The app's development language.
    let sourceLanguage: String
    /// Translations by key and language.
    private let translations: [String: [String: String]]

    /// Decodes a String Catalog.
    ///
    /// Ignores a key's variations (plurals, devices).
    /// - Throws: `DecodingError` for an invalid file.
    init(decoding bytes: [UInt8]) throws {
        let file = try JSONDecoder().decode(File.self, from: Data(bytes))
        sourceLanguage = file.sourceLanguage
        translations = file.strings.mapValues { entry in
            (entry.localizations ?? [:]).compactMapValues { $0.stringUnit?.value }
        }
    }

    /// Returns a string in the language of a locale, as iOS shows an alert.
    func text(_ text: LocalizableText, for locale: String) -> String {
        text.filled(into: translation(of: text.key, for: locale))
    }

    /// Returns the translation of a key in the language of a locale.
    ///
    /// Tries languages as phones do, from specific to general (`zh-Hant-TW`, `zh-Hant`, `zh`), then the app's
    /// development language, then the key itself.
    func translation(of key: String, for locale: String) -> String {
        let byLanguage = translations[key] ?? [:]
        let languages = Self.languages(for: locale) + [sourceLanguage]
        return languages.lazy.compactMap { byLanguage[$0] }.first ?? key
    }

    /// Whether the catalog has the key.
    func has(_ key: String) -> Bool { translations[key] != nil }

    /// Returns the number of arguments of a string; nil for an unknown key.
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
        // Chinese without a script is Simplified Chinese, except in regions that use the traditional script.
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
