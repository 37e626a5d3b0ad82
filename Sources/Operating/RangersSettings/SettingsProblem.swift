/// A problem with the settings.
public enum SettingsProblem: Hashable, Sendable {
    /// A name that is not a setting.
    case unknown(name: String, origin: SettingOrigin, suggestion: String?)
    /// A malformed value; nil stands for a secret, which is not printed.
    case malformed(Setting, value: String?, origin: SettingOrigin, reason: String)
    /// A required setting that no source sets.
    case missing(Setting, reason: String)
    /// Values that are valid alone but contradict each other.
    case contradiction(String)
    /// A secret that one source sets both directly and by a file.
    case givenTwice(Setting, origin: SettingOrigin)
    /// A secret's file that cannot be read.
    case unreadableSecret(Setting, path: String, reason: String)
    /// A configuration file that cannot be read.
    case unreadableFile(path: String, reason: String)
    /// A malformed line of the configuration file.
    case malformedLine(path: String, line: Int, reason: String)
}

extension SettingsProblem: CustomStringConvertible {
    /// The problem and its fix, in one line and without secrets.
    public var description: String {
        switch self {
        case .unknown(let name, let origin, let suggestion):
            "\(name) (\(origin)) is not a setting" + (suggestion.map { "; did you mean \($0)?" } ?? "")
        case .malformed(let setting, let value?, let origin, let reason):
            "\(setting.rawValue) (\(origin)): \"\(value)\" \(reason)"
        case .malformed(let setting, nil, let origin, let reason):
            "\(setting.rawValue) (\(origin)) \(reason)"
        case .missing(let setting, let reason):
            "\(setting.rawValue) is missing: \(reason)"
        case .contradiction(let reason):
            reason
        case .givenTwice(let setting, let origin):
            "\(setting.rawValue) and \(setting.rawValue)_FILE are both set (\(origin)); remove one"
        case .unreadableSecret(let setting, let path, let reason):
            "\(setting.rawValue)_FILE: \(path) \(reason)"
        case .unreadableFile(let path, let reason):
            "the configuration file \(path) \(reason)"
        case .malformedLine(let path, let line, let reason):
            "\(path), line \(line): \(reason)"
        }
    }

    /// Returns whether the problem explains why a setting has no value.
    package func isAbout(_ setting: Setting) -> Bool {
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

/// An error with every problem of the settings.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problems, at least one: first those of the sources, then those of the values.
    public let problems: [SettingsProblem]

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// The source of a value.
public enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The command line, with the flag's name.
    case flag(String)
    /// The environment.
    case environment
    /// The file given with `--config`.
    case file(path: String, line: Int)

    /// The name of the source in error messages.
    public var description: String {
        switch self {
        case .flag(let name): name
        case .environment: "environment"
        case .file(let path, let line): "\(path), line \(line)"
        }
    }
}
