public import GameEngine
public import HTTPServing
public import Logging
public import PushCadence
public import RangersLogging
public import RangersSettings

/// The settings of `rangersd serve`.
public struct ServiceSettings: Sendable {
    /// The database.
    public let database: DatabaseSettings
    /// The address that the API listens on.
    public let httpHost: String
    /// The port that the API listens on; 0 for any free port.
    public let httpPort: Int
    /// TLS, timeouts and limits of the API's server.
    public let serving: ServingSettings
    /// The address that the operators' API listens on, if it has a port of its own.
    public let adminHost: String
    /// The port that the operators' API listens on; 0 for any free port, nil for that of the players' API.
    public let adminPort: Int?
    /// The address that the metrics server listens on.
    public let metricsHost: String
    /// The port that the metrics server listens on; 0 for any free port, nil for no metrics server.
    public let metricsPort: Int?
    /// The lowest level that is logged.
    public let logLevel: Logger.Level
    /// The format of a log line.
    public let logFormat: LogFormat
    /// The roles of this process; never empty.
    public let roles: Set<Role>
    /// The APNs environments and provider keys; nil if this process sends no pushes.
    ///
    /// Never nil for a dispatcher, nor for a process with the role `api` and a provider key, which sends test pushes.
    public let apns: APNsSettings?
    /// Sign in with Apple; nil if it is off.
    public let apple: AppleSettings?
    /// The speed of the game; must be the same on every node.
    public let game: GameSettings
    /// The retention times of ended adventures and disbanded parties.
    public let retention: RetentionSettings
    /// The spacing, priorities and budgets of pushes.
    public let cadence: CadencePolicy

    /// The rate limits of this node's API.
    public let limits: RequestLimits
    /// How much a player may create in a day.
    public let quotas: Quotas
    /// The origins of web pages that may use the players' API; nil for none.
    public let corsOrigins: AllowedOrigins?

    static let defaultHTTPHost = "127.0.0.1"
    static let defaultHTTPPort = 8081
    static let defaultLogLevel = Logger.Level.info
    static let defaultLogFormat = LogFormat.text

    /// Reads the settings.
    /// - Parameter sources: the sources to read.
    /// - Throws: ``SettingsError`` with every problem found.
    public init(from sources: SettingsSources) throws(SettingsError) {
        var reader = SettingsReader(sources)
        let database = reader.database()
        httpHost = reader.value(.httpHost, default: Self.defaultHTTPHost, as: SettingValue.host)
        httpPort = reader.value(.httpPort, default: Self.defaultHTTPPort, as: SettingValue.number(0...65_535))
        serving = reader.serving()
        adminHost = reader.value(.adminHost, default: Self.defaultHTTPHost, as: SettingValue.host)
        adminPort = reader.optional(.adminPort, as: SettingValue.number(0...65_535))
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
        apple = reader.apple()
        game = reader.game()
        retention = reader.retention()
        cadence = reader.cadence()
        limits = reader.limits()
        quotas = reader.quotas()
        corsOrigins = reader.optional(.corsOrigins, as: SettingValue.origins)
        guard let database, reader.problems.isEmpty else { throw reader.error }
        self.database = database
    }
}

extension SettingsReader {
    /// The longest tick or turn: far longer than the game needs, short enough that no sum of such durations overflows.
    private static let maxGameInterval = Duration.seconds(24 * 60 * 60)

    fileprivate mutating func game() -> GameSettings {
        let defaults = GameSettings()
        let range = SettingValue.duration(GameSettings.minInterval...Self.maxGameInterval)
        return GameSettings(
            journeyTick: value(.journeyTick, default: defaults.journeyTick, as: range),
            bossTurn: value(.bossTurn, default: defaults.bossTurn, as: range)
        )
    }

    fileprivate mutating func retention() -> RetentionSettings {
        let range = SettingValue.duration(RetentionSettings.minAge...RetentionSettings.maxAge)
        return RetentionSettings(
            ended: value(.keepEnded, default: RetentionSettings.defaultAge, as: range),
            outlines: value(.keepOutlines, default: RetentionSettings.defaultOutlineAge, as: range)
        )
    }
}
