/// Where settings come from, in the order in which they win: flags, the environment, a configuration file.
public struct SettingsSources: Sendable {
    /// A setting given on the command line.
    public struct Flag: Sendable {
        /// What it sets.
        public let setting: Setting
        /// The flag, for errors: `--port`.
        public let name: String
        /// What was given.
        public let value: String

        /// A flag, nil when it was not given.
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

    /// The sources of one process.
    /// - Parameters:
    ///   - flags: what the command line sets; secrets have no flags, as every user of the machine can read those.
    ///   - environment: all of it; only names that begin with `RANGERS_` count.
    ///   - configurationFile: the path given with `--config`, nil for none.
    public init(flags: [Flag] = [], environment: [String: String], configurationFile: String? = nil) {
        self.flags = flags
        self.environment = environment
        self.configurationFile = configurationFile
    }
}
