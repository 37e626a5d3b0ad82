import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import RangersLogging
import RangersSettings

/// `rangersd serve`: the service itself.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves players, plays what is due and pushes to phones, until it is told to stop.",
        discussion: """
            Applies pending migrations first. SIGTERM and SIGINT (Ctrl-C) stop it: /readyz says so for as long as \
            RANGERS_HTTP_STOP_DELAY, then it takes nothing new and finishes what is under way, for \
            \(Node.drainSeconds) seconds at most. A second one ends it at once. A database that goes away is waited \
            for. SIGHUP makes it read the provider keys and the TLS certificate again, which it also does when their \
            files change.

            Settings, with their defaults, from the environment or the file of --config:
            \(Setting.reference)
            """
    )

    @Option(help: ArgumentHelp("What this process does (RANGERS_ROLES).", valueName: "roles"))
    var role: String?

    @Option(help: ArgumentHelp("The address to listen on (RANGERS_HTTP_HOST).", valueName: "host"))
    var host: String?

    @Option(help: ArgumentHelp("The port to listen on, 0 for any free one (RANGERS_HTTP_PORT).", valueName: "port"))
    var port: String?

    @Option(help: ArgumentHelp("What is worth logging (RANGERS_LOG_LEVEL).", valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp("How a line of the log looks: text or json (RANGERS_LOG_FORMAT).", valueName: "format"))
    var logFormat: String?

    @Option(help: ArgumentHelp("The time between two ticks of a journey (RANGERS_JOURNEY_TICK).", valueName: "time"))
    var journeyTick: String?

    @Option(help: ArgumentHelp("How long a turn of a boss fight stays open (RANGERS_BOSS_TURN).", valueName: "time"))
    var bossTurn: String?

    @Option(
        help: ArgumentHelp(
            "Written when it is serving: JSON with \"httpPort\", \"metricsPort\" and \"pid\".",
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
                LineLogHandler(label: $0, format: settings.logFormat, to: .standardError)
            }
            var logger = Logger(label: "rangersd")
            logger.logLevel = settings.logLevel
            let node = Node(
                settings: settings,
                rereadSettings: { () throws(SettingsError) in try ServiceSettings(from: sources) },
                readyFile: readyFile.map { ReadyFile(path: $0) },
                serviceManager: ServiceManager(environment: ProcessInfo.processInfo.environment, logger: logger),
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
