import ArgumentParser
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import PartyAPI
import PostgresClient
import RangersLogging
import ServiceLifecycle
import ServiceRuntime

/// The API on a database, or a server without one that gives recorded answers; in a process of its own, until its input
/// ends.
struct APIServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "api-server", shouldDisplay: false)

    /// What the sessions of requests call themselves to PostgreSQL.
    static let applicationName = "requests"
    /// To PostgreSQL, as in `rangersd`.
    static let requestConnections = 10
    private static let workConnections = 4
    /// Longer than a measurement: a fight that is over takes no commands.
    private static let bossTurn = Duration.seconds(3_600)

    /// Libpq's URI of a migrated database.
    @Option var databaseURL: String?
    /// JSON of ``StaticAnswers``.
    @Option var answers: String?

    func run() async throws {
        // Its end is the whole process's: nothing here is worth more than being gone at once.
        Thread.detachNewThread {
            ReadyLine.awaitEndOfInput()
            Foundation.exit(0)
        }
        if let databaseURL {
            try await serve(databaseURL)
        } else {
            let answers = try JSONDecoder().decode(StaticAnswers.self, from: Data((answers ?? "").utf8))
            try await answers.serve { ReadyLine.print(port: $0) }
        }
    }

    /// API and engine in one process, each with a pool of its own, wired as `rangersd` does, with its log of requests.
    private func serve(_ databaseURL: String) async throws {
        let logger = Logger(label: "rangers-bench") { LineLogHandler(label: $0, format: .text, to: .standardError) }
        let requestPool = pool(
            databaseURL,
            name: Self.applicationName,
            connections: Self.requestConnections,
            logger: logger
        )
        let workPool = pool(databaseURL, name: "work", connections: Self.workConnections, logger: logger)
        let streamWakeSignal = WakeSignal()
        let wakeSignal = WakeSignal(forwardingTo: [streamWakeSignal])
        let settings = GameSettings(bossTurn: Self.bossTurn)
        let store = GameStore(pool: requestPool)
        let api = PartyAPI(
            store: store,
            commands: GameCommands(store: store, settings: settings, runtime: .system, wakeSignal: wakeSignal),
            runtime: .system,
            wakeSignal: streamWakeSignal,
            logger: logger
        )
        let engine = GameEngine(
            store: GameStore(pool: workPool),
            settings: settings,
            runtime: .system,
            wakeSignal: wakeSignal,
            logger: logger
        )
        let server = api.server(host: "127.0.0.1", port: 0) { ReadyLine.print(port: $0) }
        // The line for each request costs what it costs, but is for nobody.
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
        try await ServiceGroup(services: [requestPool, workPool, engine, server], logger: logger).run()
    }

    private func pool(_ uri: String, name: String, connections: Int, logger: Logger) -> PostgresPool {
        PostgresPool(
            configuration: .init(uri: uri, maximumConnections: connections, applicationName: name),
            logger: logger
        )
    }
}
