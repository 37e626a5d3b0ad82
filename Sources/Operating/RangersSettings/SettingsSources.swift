/// The sources of settings, in order of precedence: flags, the environment, a configuration file.
public struct SettingsSources: Sendable {
    /// A setting given on the command line.
    public struct Flag: Sendable {
        /// The setting.
        public let setting: Setting
        /// The flag, for errors, such as `--port`.
        public let name: String
        /// The value.
        public let value: String

        /// Creates a flag; nil if the command line does not contain it.
        public init?(_ name: String, _ value: String?, sets setting: Setting) {
            guard let value else { return nil }
            self.setting = setting
            self.name = name
            self.value = value
        }
    }

    let flags: [Flag]
    let environment: [String: String]
    let configurationFile: String?

    /// Creates the sources of one process.
    /// - Parameters:
    ///   - flags: the settings on the command line. Secrets have no flags, because every user of the machine can read
    ///     command lines.
    ///   - environment: the whole environment; only names that begin with `RANGERS_` are read.
    ///   - configurationFile: the path given with `--config`; nil for none.
    public init(flags: [Flag] = [], environment: [String: String], configurationFile: String? = nil) {
        self.flags = flags
        self.environment = environment
        self.configurationFile = configurationFile
    }
}
