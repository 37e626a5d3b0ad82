/// Parses settings, and collects every problem so that all of them are reported at once.
package struct SettingsReader {
    private let raw: [Setting: RawSettings.Value]
    /// The problems so far: first those of the sources, then those of the values.
    package private(set) var problems: [SettingsProblem]

    package init(_ sources: SettingsSources) {
        let raw = RawSettings(sources)
        self.raw = raw.values
        problems = raw.problems
    }

    /// The error with all problems so far.
    package var error: SettingsError { SettingsError(problems: problems) }

    /// Returns whether any source sets a setting, valid or not.
    package func isSet(_ setting: Setting) -> Bool { raw[setting] != nil }

    /// Returns the value of a setting; nil if it is missing or malformed.
    package mutating func optional<Value>(
        _ setting: Setting,
        as parse: (String) throws(MalformedValue) -> Value
    ) -> Value? {
        guard let value = raw[setting] else { return nil }
        do throws(MalformedValue) {
            guard !value.text.isEmpty else { throw MalformedValue("is empty; remove it or give it a value") }
            return try parse(value.text)
        } catch {
            let text = setting.isSecret ? nil : value.text
            problems.append(.malformed(setting, value: text, origin: value.origin, reason: error.reason))
            return nil
        }
    }

    /// Returns the value of a setting, or its default.
    package mutating func value<Value>(
        _ setting: Setting,
        default: Value,
        as parse: (String) throws(MalformedValue) -> Value
    ) -> Value {
        optional(setting, as: parse) ?? `default`
    }

    /// Returns the value of a setting that must be set.
    /// - Returns: the value, or nil after recording a problem.
    package mutating func required<Value>(
        _ setting: Setting,
        because reason: String,
        as parse: (String) throws(MalformedValue) -> Value
    ) -> Value? {
        let value = optional(setting, as: parse)
        let isRecorded = problems.contains { $0.isAbout(setting) }
        if value == nil, !isRecorded {
            problems.append(.missing(setting, reason: reason))
        }
        return value
    }

    /// Records that settings which are valid alone contradict each other.
    package mutating func contradiction(_ reason: String) {
        problems.append(.contradiction(reason))
    }
}
