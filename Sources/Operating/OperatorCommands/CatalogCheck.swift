import Foundation
import PushRules

/// Holds an app's String Catalog against the sentences that the rules ask phones to say.
///
/// A phone that lacks a sentence shows it in English; one whose translation takes other arguments shows nonsense.
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

    /// This release's own catalog, which apps take as it is.
    static func ownCatalog() -> DoctorLine { check(Data(PackageResources.Localizable_xcstrings)) }

    /// An app's catalog; one that cannot be read is as wrong as one that lacks something.
    static func appsCatalog(in path: String) -> DoctorLine {
        let name = "localisation (app)"
        do {
            return check(try Data(contentsOf: URL(filePath: path)), named: name)
        } catch {
            return DoctorLine(
                name,
                .failed,
                "The String Catalog \(path) cannot be read.",
                remedy: "Is it there, and yours? --localization names the app's Localizable.xcstrings."
            )
        }
    }

    /// What is wrong in the catalog is counted, and the first of it named.
    static func check(
        _ data: Data,
        named name: String = "localisation",
        needing keys: [String] = SpokenKeys.all
    ) -> DoctorLine {
        // Any other file will do for this: what to do about it is the same, whatever the decoder says.
        guard let catalog = try? JSONDecoder().decode(Catalog.self, from: data) else {
            return DoctorLine(
                name,
                .failed,
                "The file is no String Catalog.",
                remedy: "Give the app's Localizable.xcstrings."
            )
        }
        let languages = Set(catalog.strings.values.flatMap { ($0.localizations ?? [:]).keys }).sorted()
        let faults = keys.sorted().flatMap { key in
            languages.compactMap { language in fault(of: key, in: language, catalog.strings[key]) }
                + (catalog.strings[key] == nil && languages.isEmpty ? ["\"\(key)\" is missing"] : [])
        }
        guard let first = faults.first else {
            return DoctorLine(name, .ok, "All \(keys.count) sentences are there in \(languages.count) languages.")
        }
        return DoctorLine(
            name,
            .failed,
            "\(faults.count) translations are not as they must be; the first: \(first).",
            remedy: "Take Localization/Localizable.xcstrings of this release into the app."
        )
    }

    private static func fault(of key: String, in language: String, _ entry: Entry?) -> String? {
        guard let unit = entry?.localizations?[language]?.stringUnit, unit.state == "translated", !unit.value.isEmpty
        else {
            return "\"\(key)\" is missing in \(language)"
        }
        return arguments(of: unit.value) == arguments(of: key) ? nil : "\"\(key)\" takes other arguments in \(language)"
    }

    /// What goes in, by number; what has none is numbered by its place.
    private static func arguments(of text: String) -> [Int] {
        text.matches(of: /%(?:(\d+)\$)?@/).enumerated().map { index, match in
            match.output.1.flatMap { Int($0) } ?? index + 1
        }.sorted()
    }
}
