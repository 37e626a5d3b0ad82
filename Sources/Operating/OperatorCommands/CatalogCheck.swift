import EmbeddedFiles
import Foundation
import PushRules

/// Checks a String Catalog for the localization keys of all alerts.
///
/// A phone shows an alert in English if its translation is missing, and incorrectly if the translation has other
/// arguments.
enum CatalogCheck {
    private struct Catalog: Decodable {
        let strings: [String: Entry]
    }

    private struct Entry: Decodable {
        let localizations: [String: Localization]?
    }

    private struct Localization: Decodable {
        let stringUnit: Unit?
    }

    private struct Unit: Decodable {
        let state: String
        let value: String
    }

    /// Checks the catalog of this release, which apps copy.
    static func ownCatalog() -> CheckResult { check(Data(EmbeddedFile.stringCatalog.bytes)) }

    /// Checks the catalog of an app.
    ///
    /// A catalog that cannot be read fails the check.
    static func appCatalog(at path: String) -> CheckResult {
        let name = "localisation (app)"
        do {
            return check(try Data(contentsOf: URL(filePath: path)), named: name)
        } catch {
            return CheckResult(
                name,
                .failed,
                "The String Catalog \(path) cannot be read.",
                remedy:
                    "Check that the file exists and is readable. --localization takes the app's Localizable.xcstrings."
            )
        }
    }

    /// Checks a catalog, and reports the number of faults and the first one.
    static func check(
        _ data: Data,
        named name: String = "localisation",
        for keys: [String] = LocalizationKeys.all
    ) -> CheckResult {
        // The decoder's error is not reported, because the remedy is the same for all errors.
        guard let catalog = try? JSONDecoder().decode(Catalog.self, from: data) else {
            return CheckResult(
                name,
                .failed,
                "The file is not a String Catalog.",
                remedy: "Use the app's Localizable.xcstrings."
            )
        }
        let languages = Set(catalog.strings.values.flatMap { ($0.localizations ?? [:]).keys }).sorted()
        let faults = keys.sorted().flatMap { key in
            languages.compactMap { language in fault(of: key, in: language, catalog.strings[key]) }
                + (catalog.strings[key] == nil && languages.isEmpty ? ["\"\(key)\" is missing"] : [])
        }
        guard let first = faults.first else {
            return CheckResult(
                name,
                .ok,
                "All \(keys.count) alert texts are translated into \(languages.count) languages."
            )
        }
        return CheckResult(
            name,
            .failed,
            "\(faults.count) translations are missing or wrong, for example: \(first).",
            remedy: "Copy Localization/Localizable.xcstrings of this release into the app."
        )
    }

    private static func fault(of key: String, in language: String, _ entry: Entry?) -> String? {
        guard let unit = entry?.localizations?[language]?.stringUnit, unit.state == "translated", !unit.value.isEmpty
        else {
            return "\"\(key)\" is missing in \(language)"
        }
        return arguments(of: unit.value) == arguments(of: key) ? nil : "\"\(key)\" has other arguments in \(language)"
    }

    /// Returns the numbers of a format's arguments; an argument without a number has that of its position.
    private static func arguments(of text: String) -> [Int] {
        text.matches(of: /%(?:(\d+)\$)?@/).enumerated().map { index, match in
            match.output.1.flatMap { Int($0) } ?? index + 1
        }.sorted()
    }
}
