import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import NodeSettings
import RangersLogging
import RangersSettings
import ServiceRuntime

/// `rangersd serve`: the service.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the service: the API, the engine and the dispatcher.",
        discussion: """
            Applies pending migrations first. SIGTERM and SIGINT (Ctrl-C) start a graceful shutdown: /readyz fails for \
            RANGERS_HTTP_STOP_DELAY, then the service accepts nothing new and completes requests in flight for at most \
            \(Node.drainSeconds) seconds. A second signal terminates it at once. During outages of the database, it \
            waits. SIGHUP reloads the provider keys and the TLS certificate, which are also reloaded when their files \
            change.

            Settings with their defaults, from the environment or the file of --config:
            \(Setting.reference)
            """
    )

    @Option(help: ArgumentHelp("The roles of this process (RANGERS_ROLES).", valueName: "roles"))
    var role: String?

    @Option(help: ArgumentHelp("The address to listen on (RANGERS_HTTP_HOST).", valueName: "host"))
    var host: String?

    @Option(help: ArgumentHelp("The port to listen on, 0 for any free one (RANGERS_HTTP_PORT).", valueName: "port"))
    var port: String?

    @Option(help: ArgumentHelp("The lowest level to log (RANGERS_LOG_LEVEL).", valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp("The format of the log: text or json (RANGERS_LOG_FORMAT).", valueName: "format"))
    var logFormat: String?

    @Option(help: ArgumentHelp("The time between two ticks of a journey (RANGERS_JOURNEY_TICK).", valueName: "time"))
    var journeyTick: String?

    @Option(help: ArgumentHelp("The length of a turn in a boss fight (RANGERS_BOSS_TURN).", valueName: "time"))
    var bossTurn: String?

    @Option(
        help: ArgumentHelp(
            "Write this file when the service is ready: JSON with \"httpPort\", \"adminPort\", \"metricsPort\" and \"pid\".",
            valueName: "file"
        )
    )
    var readyFile: String?

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await RangersdFailure.explaining {
            let sources = sources
            let settings = try ServiceSettings(from: sources)
            LoggingSystem.bootstrap {
                LineLogHandler(label: $0, format: settings.logFormat, to: .standardError(now: Runtime.system.now))
            }
            var logger = Logger(label: "rangersd")
            logger.logLevel = settings.logLevel
            let node = Node(
                settings: settings,
                reloadSettings: { () throws(SettingsError) in try ServiceSettings(from: sources) },
                readyFile: readyFile.map { ReadyFile(path: $0) },
                serviceManager: ServiceNotifier(environment: ProcessInfo.processInfo.environment, logger: logger),
                additionalServices: Rangersd.additionalServices,
                logger: logger
            )
            try await node.run()
        }
    }

    private var sources: SettingsSources {
        options.sources(flags: [
            SettingsSources.Flag("--role", role, sets: .roles),
            SettingsSources.Flag("--host", host, sets: .httpHost),
            SettingsSources.Flag("--port", port, sets: .httpPort),
            SettingsSources.Flag("--log-level", logLevel, sets: .logLevel),
            SettingsSources.Flag("--log-format", logFormat, sets: .logFormat),
            SettingsSources.Flag("--journey-tick", journeyTick, sets: .journeyTick),
            SettingsSources.Flag("--boss-turn", bossTurn, sets: .bossTurn),
        ])
    }
}
