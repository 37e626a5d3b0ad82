import APNsClient
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import PartyAPI
import PostgresClient
import PushDispatcher
import RangersCommandLine
import RangersSettings
import ServiceLifecycle
import UnixSignals

/// One running `rangersd`: the parts that its roles ask for, wired to each other.
///
/// Nodes know nothing of each other; what they share is the database.
struct Node {
    /// How long a stop may take before what is under way is cancelled; below the 30 s that Kubernetes waits before it
    /// kills a pod, above the time that the parts take to drain.
    static let drainSeconds = 20

    /// How many connections engine and dispatcher share: each does one thing at a time.
    private static let workConnections = 4

    let settings: ServiceSettings
    /// Reads the settings as they are by then.
    let rereadSettings: @Sendable () throws(SettingsError) -> ServiceSettings
    let readyFile: ReadyFile?
    let serviceManager: ServiceManager
    let logger: Logger

    /// Serves until SIGTERM or SIGINT; a second one ends it at once.
    func run() async throws {
        // A peer that hangs up while it is written to is that connection's error, and not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        if let readyFile {
            try clear(readyFile)
        }
        // Trapped before anyone may send it: it is no reason to end, whether there is something to read again or not.
        let hangups = HangupRelay(signals: await UnixSignalsSequence(trapping: .sighup))
        let routes = try settings.apns.map { apns in
            try PushRoutes(apns, hangups: hangups.listen(), rereadSettings: rereadSettings, logger: logger)
        }
        let certificates = try CertificateWatch(settings, hangups: hangups.listen(), rereadSettings, logger: logger)
        OpenFiles.allow(settings.serving.connections, logger: logger)
        try await migrate()
        // Requests may use up their pool; ticks and pushes must go on then, and leases be renewed.
        let requestPool = PostgresPool(settings.databaseURL, logger: logger)
        let workPool = PostgresPool(settings.databaseURL, connections: Self.workConnections, logger: logger)
        let store = GameStore(pool: workPool)

        // In the order of dependency: a service is stopped before those that stand above it.
        let dispatcherNews = Doorbell()
        let streamNews = Doorbell()
        let news = Doorbell(ringingToo: [dispatcherNews, streamNews])
        let (ports, onServing) = AsyncStream<Int>.makeStream()
        let stopNotice = StopNotice()
        var services: [any Service] = [requestPool, workPool, hangups]
        var operatorPushes: OperatorPushes?
        if let apns = settings.apns, let routes {
            let clients = routes.clients
            let dispatcherSettings = DispatcherSettings(policy: settings.cadence, bundleID: apns.bundleID)
            operatorPushes = OperatorPushes(
                PushTester(clients: clients, settings: dispatcherSettings, surroundings: .system)
            )
            services += clients.values.map { $0 as any Service }
            services += [
                routes,
                PushDispatcher(
                    store: store,
                    clients: clients,
                    settings: dispatcherSettings,
                    surroundings: .system,
                    news: dispatcherNews,
                    logger: logger
                ),
            ]
        }
        if settings.roles.contains(.engine) {
            services.append(engine(store: store, news: news))
            services.append(Housekeeper(store: store, surroundings: .system, logger: logger))
            services.append(ErasureKeeper(commands: commands(on: store, news: news), logger: logger))
        }
        if settings.roles.contains(.api) {
            if let certificates { services.append(certificates) }
            services.append(
                HTTPServer(
                    api: api(
                        store: GameStore(pool: requestPool),
                        news: news,
                        streamNews: streamNews,
                        pushes: operatorPushes,
                        stopNotice: stopNotice
                    ),
                    host: settings.httpHost,
                    port: settings.httpPort,
                    limits: ServingLimits(settings.serving),
                    tls: certificates?.context,
                    onServing: { onServing.yield($0) }
                )
            )
        }
        services.append(
            Announcement(
                roles: settings.roles,
                ports: settings.roles.contains(.api) ? ports : nil,
                readyFile: readyFile,
                serviceManager: serviceManager,
                logger: logger
            )
        )
        try await serve(services, until: stopNotice)
    }

    private func serve(_ services: [any Service], until stopNotice: StopNotice) async throws {
        var configuration = ServiceGroupConfiguration(services: services, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(Self.drainSeconds)
        let group = ServiceGroup(configuration: configuration)
        let stop = Stop(
            notice: stopNotice,
            // What nobody balances needs no time to be found out about.
            delay: settings.roles.contains(.api) ? settings.serving.stopDelay : .zero,
            serviceManager: serviceManager,
            logger: logger
        )
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { await stop.run(group, on: signals) }
            defer { tasks.cancelAll() }
            try await group.run()
        }
        logger.notice("rangersd has stopped")
    }

    /// Over a connection of its own without a time limit: a migration, or waiting for another node's, may take long.
    private func migrate() async throws {
        let pool = PostgresPool(settings.databaseURL, connections: 1, statementTimeout: nil, logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            for migration in try await GameStore(pool: pool).migrate().pending {
                logger.notice("applied a migration", metadata: ["migration": "\(migration.name)"])
            }
            group.cancelAll()
        }
    }

    private func engine(store: GameStore, news: Doorbell) -> GameEngine {
        GameEngine(store: store, settings: settings.game, surroundings: .system, news: news, logger: logger)
    }

    private func commands(on store: GameStore, news: Doorbell) -> GameCommands {
        GameCommands(store: store, settings: settings.game, surroundings: .system, news: news)
    }

    private func api(
        store: GameStore,
        news: Doorbell,
        streamNews: Doorbell,
        pushes: OperatorPushes?,
        stopNotice: StopNotice
    ) -> PartyAPI {
        PartyAPI(
            store: store,
            commands: commands(on: store, news: news),
            surroundings: .system,
            readiness: [stopNotice.readiness],
            news: streamNews,
            pushes: pushes,
            limits: settings.limits,
            origins: settings.corsOrigins,
            logger: logger
        )
    }

    private func clear(_ readyFile: ReadyFile) throws(RangersdFailure) {
        do {
            try readyFile.clear()
        } catch {
            throw RangersdFailure(readyFile)
        }
    }
}
