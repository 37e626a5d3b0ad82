public import GameEngine
public import Logging
public import PartyAPI
public import PushCadence
public import RangersLogging

/// Everything that `rangersd serve` is told.
public struct ServiceSettings: Sendable {
    /// Where everything is stored.
    public let database: DatabaseSettings
    /// The address that the API listens on.
    public let httpHost: String
    /// The port that the API listens on; 0 is any free one.
    public let httpPort: Int
    /// How the API is served.
    public let serving: ServingSettings
    /// The address that metrics are told on.
    public let metricsHost: String
    /// The port that metrics are told on; 0 is any free one, nil for none.
    public let metricsPort: Int?
    /// What is worth logging.
    public let logLevel: Logger.Level
    /// How a line of the log looks.
    public let logFormat: LogFormat
    /// What this process does; never empty.
    public let roles: Set<Role>
    /// Where pushes go; nil where this process sends none.
    ///
    /// Always there for a dispatcher, and for a process that serves operators if it is given a provider key, to push for them.
    public let apns: APNsSettings?
    /// The speed of the game; the same on every node.
    public let game: GameSettings
    /// How long what is over is kept; an engine removes it.
    public let retention: RetentionSettings
    /// When, and how urgently, phones are pushed.
    public let cadence: CadencePolicy

    /// How much clients may ask of this node.
    public let limits: RequestLimits
    /// Web pages whose scripts may use the players' API; nil for none.
    public let corsOrigins: AllowedOrigins?

    static let defaultHTTPHost = "127.0.0.1"
    static let defaultHTTPPort = 8081
    static let defaultLogLevel = Logger.Level.info
    static let defaultLogFormat = LogFormat.text

    /// Reads the settings.
    /// - Throws: ``SettingsError`` with everything that is wrong.
    public init(from sources: SettingsSources) throws(SettingsError) {
        var reader = SettingsReader(sources)
        let database = reader.database()
        httpHost = reader.value(.httpHost, default: Self.defaultHTTPHost, as: SettingValue.host)
        httpPort = reader.value(.httpPort, default: Self.defaultHTTPPort, as: SettingValue.number(0...65_535))
        serving = reader.serving()
        metricsHost = reader.value(.metricsHost, default: Self.defaultHTTPHost, as: SettingValue.host)
        metricsPort = reader.optional(.metricsPort, as: SettingValue.number(0...65_535))
        logLevel = reader.value(
            .logLevel,
            default: Self.defaultLogLevel,
            as: SettingValue.name(Logger.Level.self)
        )
        logFormat = reader.value(
            .logFormat,
            default: Self.defaultLogFormat,
            as: SettingValue.name(LogFormat.self)
        )
        roles = reader.value(.roles, default: Set(Role.allCases), as: SettingValue.roles)
        let rolesAreKnown = !reader.problems.contains { $0.isAbout(.roles) }
        apns = reader.apns(for: rolesAreKnown ? roles : [])
        game = reader.game()
        retention = reader.retention()
        cadence = reader.cadence()
        limits = reader.limits()
        corsOrigins = reader.optional(.corsOrigins, as: SettingValue.origins)
        guard let database, reader.problems.isEmpty else { throw reader.error }
        self.database = database
    }
}

extension SettingsReader {
    /// A day: far longer than anything in the game lasts, and short enough that no sum of such durations overflows.
    private static let longestGameTime = Duration.seconds(24 * 60 * 60)

    fileprivate mutating func game() -> GameSettings {
        let usual = GameSettings()
        let range = SettingValue.duration(GameSettings.shortest...Self.longestGameTime)
        return GameSettings(
            journeyTick: value(.journeyTick, default: usual.journeyTick, as: range),
            bossTurn: value(.bossTurn, default: usual.bossTurn, as: range)
        )
    }

    fileprivate mutating func retention() -> RetentionSettings {
        let range = SettingValue.duration(RetentionSettings.shortestAge...RetentionSettings.longestAge)
        return RetentionSettings(ended: value(.keepEnded, default: RetentionSettings.usualAge, as: range))
    }
}
