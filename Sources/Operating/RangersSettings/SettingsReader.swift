/// Makes values of what was given and collects everything that is wrong, so that it is said at once.
struct SettingsReader {
    private let given: [Setting: GivenSettings.Value]
    private(set) var problems: [SettingsProblem]

    init(_ sources: SettingsSources) {
        let given = GivenSettings(sources)
        self.given = given.values
        problems = given.problems
    }

    /// What the problems come to.
    var error: SettingsError { SettingsError(problems: problems) }

    /// Whether a setting was given, whatever it says.
    func isGiven(_ setting: Setting) -> Bool { given[setting] != nil }

    /// A setting's value, nil when it was not given or makes no sense.
    mutating func optional<Value>(
        _ setting: Setting,
        as make: (String) throws(MalformedValue) -> Value
    ) -> Value? {
        guard let value = given[setting] else { return nil }
        do throws(MalformedValue) {
            guard !value.text.isEmpty else { throw MalformedValue("is empty; leave it out or give it a value") }
            return try make(value.text)
        } catch {
            let text = setting.isSecret ? nil : value.text
            problems.append(.malformed(setting, value: text, origin: value.origin, reason: error.reason))
            return nil
        }
    }

    /// A setting's value, or its default.
    mutating func value<Value>(
        _ setting: Setting,
        default: Value,
        as make: (String) throws(MalformedValue) -> Value
    ) -> Value {
        optional(setting, as: make) ?? `default`
    }

    /// A setting's value; not having been given is a problem.
    /// - Returns: nil only after a problem was noted.
    mutating func required<Value>(
        _ setting: Setting,
        because reason: String,
        as make: (String) throws(MalformedValue) -> Value
    ) -> Value? {
        let value = optional(setting, as: make)
        let isNoted = problems.contains { $0.isAbout(setting) }
        if value == nil, !isNoted {
            problems.append(.missing(setting, reason: reason))
        }
        return value
    }

    /// Notes that two settings do not go together.
    mutating func contradiction(_ reason: String) {
        problems.append(.contradiction(reason))
    }
}
