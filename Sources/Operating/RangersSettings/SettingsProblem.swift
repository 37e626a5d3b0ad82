/// One thing that is wrong with the settings.
public enum SettingsProblem: Hashable, Sendable {
    /// There is no such setting.
    case unknown(name: String, origin: SettingOrigin, suggestion: String?)
    /// A value makes no sense; nil stands for a secret one.
    case malformed(Setting, value: String?, origin: SettingOrigin, reason: String)
    /// A setting that what is to run cannot do without.
    case missing(Setting, reason: String)
    /// Values that make sense alone do not go together.
    case contradiction(String)
    /// A secret is given as itself and as a file, in the same place.
    case givenTwice(Setting, origin: SettingOrigin)
    /// The file that should hold a secret cannot be read.
    case unreadableSecret(Setting, path: String, reason: String)
    /// The configuration file cannot be read.
    case unreadableFile(path: String, reason: String)
    /// A line of the configuration file is no setting.
    case malformedLine(path: String, line: Int, reason: String)
}

extension SettingsProblem: CustomStringConvertible {
    /// What is wrong and how to mend it, in one line and without secrets.
    public var description: String {
        switch self {
        case .unknown(let name, let origin, let suggestion):
            "\(name) (\(origin)) is no setting" + (suggestion.map { "; did you mean \($0)?" } ?? "")
        case .malformed(let setting, let value?, let origin, let reason):
            "\(setting.rawValue) (\(origin)): \"\(value)\" \(reason)"
        case .malformed(let setting, nil, let origin, let reason):
            "\(setting.rawValue) (\(origin)) \(reason)"
        case .missing(let setting, let reason):
            "\(setting.rawValue) is missing: \(reason)"
        case .contradiction(let reason):
            reason
        case .givenTwice(let setting, let origin):
            "\(setting.rawValue) and \(setting.rawValue)_FILE are both given (\(origin)); leave one out"
        case .unreadableSecret(let setting, let path, let reason):
            "\(setting.rawValue)_FILE: \(path) \(reason)"
        case .unreadableFile(let path, let reason):
            "the configuration file \(path) \(reason)"
        case .malformedLine(let path, let line, let reason):
            "\(path), line \(line): \(reason)"
        }
    }

    /// Whether it says why a setting has no value.
    func isAbout(_ setting: Setting) -> Bool {
        switch self {
        case .malformed(setting, _, _, _), .missing(setting, _), .givenTwice(setting, _),
            .unreadableSecret(setting, _, _):
            true
        case .malformed, .missing, .givenTwice, .unreadableSecret, .unknown, .contradiction, .unreadableFile,
            .malformedLine:
            false
        }
    }
}

/// Why a program does not start: everything that is wrong with its settings, at once.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// At least one problem: first those of the sources, then those of the values.
    public let problems: [SettingsProblem]

    /// A line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// Where a value comes from.
public enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The command line, with the flag's name.
    case flag(String)
    /// The environment.
    case environment
    /// The file given with `--config`.
    case file(path: String, line: Int)

    /// As an error names it.
    public var description: String {
        switch self {
        case .flag(let name): name
        case .environment: "environment"
        case .file(let path, let line): "\(path), line \(line)"
        }
    }
}
