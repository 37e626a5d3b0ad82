/// The unparsed text of each setting with its origin, and the problems found in the sources.
struct RawSettings {
    struct Value: Hashable {
        let text: String
        let origin: SettingOrigin
    }

    private(set) var values: [Setting: Value] = [:]
    private(set) var problems: [SettingsProblem] = []

    init(_ sources: SettingsSources) {
        merge(
            Dictionary(
                sources.flags.map { ($0.setting.rawValue, Value(text: $0.value, origin: .flag($0.name))) },
                // ArgumentParser keeps the last occurrence of a flag, and each setting has one flag.
                uniquingKeysWith: { $1 }
            )
        )
        merge(
            sources.environment
                .filter { $0.key.hasPrefix(Setting.prefix) && !Setting.namesOfOtherPrograms.contains($0.key) }
                .mapValues { Value(text: $0, origin: .environment) }
        )
        if let path = sources.configurationFile {
            mergeFile(path)
        }
    }

    private mutating func mergeFile(_ path: String) {
        do throws(TextFileError) {
            let file = ConfigurationFile(try TextFile.read(path), path: path)
            problems += file.problems
            merge(
                Dictionary(
                    uniqueKeysWithValues: file.entries.map {
                        ($0.name, Value(text: $0.value, origin: .file(path: path, line: $0.line)))
                    }
                )
            )
        } catch {
            problems.append(.unreadableFile(path: path, reason: error.reason))
        }
    }

    /// Adds one source's values for the settings that no earlier source has set.
    private mutating func merge(_ source: [String: Value]) {
        for (name, value) in source.sorted(by: { $0.key < $1.key }) where !Setting.names.contains(name) {
            let suggestion = SpellingSuggestion.nearest(to: name, among: Setting.names, sharing: Setting.prefix)
            problems.append(.unknown(name: name, origin: value.origin, suggestion: suggestion))
        }
        for setting in Setting.allCases {
            let value = source[setting.rawValue]
            let secretFile = setting.nameOfSecretFile.flatMap { source[$0] }
            if value != nil, let secretFile {
                problems.append(.givenTwice(setting, origin: secretFile.origin))
            }
            guard values[setting] == nil else { continue }
            values[setting] = value ?? secretFile.flatMap { secret(setting, in: $0) }
        }
    }

    private mutating func secret(_ setting: Setting, in file: Value) -> Value? {
        do throws(TextFileError) {
            // Editors end files with a newline, which is not part of the secret.
            let text = try TextFile.read(file.text)
            let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
            return Value(text: String(text[..<end]), origin: file.origin)
        } catch {
            problems.append(.unreadableSecret(setting, path: file.text, reason: error.reason))
            return nil
        }
    }
}
