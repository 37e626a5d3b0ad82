import APNsClient
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import NodeMonitoring
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

    /// How many connections engine and dispatcher share: each works on four shards at once.
    private static let workConnections = 8
    /// A batch of ticks or of pushes takes milliseconds; what a lock or a silent network holds up gives way to the rest.
    private static let workTimeout = Duration.seconds(5)
    /// How many connections what watches the node has for itself: it must see what is wrong while others wait.
    private static let monitoringConnections = 2
    /// What watches the node asks little, and gives up soon.
    private static let monitoringTimeout = Duration.seconds(5)
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
        let requestPool = PostgresPool(settings.database, logger: logger)
        let workPool = PostgresPool(
            settings.database,
            connections: Self.workConnections,
            statementTimeout: Self.workTimeout,
            logger: logger
        )
        let leasePool = PostgresPool.forLeases(settings.database, logger: logger)
        let monitoringPool = PostgresPool(
            settings.database,
            connections: Self.monitoringConnections,
            statementTimeout: Self.monitoringTimeout,
            logger: logger
        )
        let metrics = NodeMetrics(version: RangersVersion.current, roles: settings.roles.text)
        let requestStore = GameStore(pool: requestPool, metrics: metrics.store, logger: logger)
        let store = GameStore(pool: workPool, metrics: metrics.store, logger: logger)
        let monitoringStore = GameStore(pool: monitoringPool, metrics: metrics.store)
        for (pool, name) in [
            (requestPool, "requests"), (workPool, "work"), (leasePool, "leases"), (monitoringPool, "monitoring"),
        ] {
            metrics.watch(pool, as: name)
        }
        metrics.watch(monitoringStore, surroundings: .system)

        // In the order of dependency: a service is stopped before those that stand above it.
        let dispatcherNews = Doorbell()
        let streamNews = Doorbell()
        let news = Doorbell(ringingToo: [dispatcherNews, streamNews])
        let (ports, onServing) = AsyncStream<Announcement.Port>.makeStream()
        let stopNotice = StopNotice()
        let readiness = Readiness(
            [.database(monitoringStore)],
            immediate: [stopNotice.readiness] + routeChecks(metrics.dispatcher)
        )
        var services: [any Service] = [requestPool, workPool, leasePool, monitoringPool, hangups]
        // Stopped late, so that a node that is stopping can be watched.
        if let port = settings.metricsPort {
            services.append(
                ListeningServer(
                    server: MonitoringServer(
                        registry: metrics.registry,
                        readiness: readiness,
                        host: settings.metricsHost,
                        port: port,
                        logger: logger,
                        onServing: { onServing.yield(.metrics($0)) }
                    ),
                    host: settings.metricsHost,
                    port: port,
                    names: (port: Setting.metricsPort.rawValue, host: Setting.metricsHost.rawValue)
                )
            )
        }
        var operatorPushes: OperatorPushes?
        if let apns = settings.apns, let routes {
            let clients = routes.clients
            let dispatcherSettings = DispatcherSettings(policy: settings.cadence, bundleID: apns.bundleID)
            operatorPushes = OperatorPushes(
                PushTester(clients: clients, settings: dispatcherSettings, surroundings: .system)
            )
            for (environment, client) in clients { metrics.watch(client, for: environment) }
            services += clients.values.map { $0 as any Service }
            services.append(routes)
            // A node without that role has clients for what its operators push, and sends nothing else.
            if settings.roles.contains(.dispatcher) {
                services.append(
                    PushDispatcher(
                        store: store,
                        leaseStore: GameStore(pool: leasePool, metrics: metrics.store, logger: logger),
                        clients: clients,
                        settings: dispatcherSettings,
                        surroundings: .system,
                        news: dispatcherNews,
                        metrics: metrics.dispatcher,
                        logger: logger
                    )
                )
            }
        }
        if settings.roles.contains(.engine) {
            services.append(engine(store: store, news: news, metrics: metrics))
            services.append(
                Housekeeper(
                    // It may take its time.
                    store: requestStore,
                    settings: settings.retention,
                    surroundings: .system,
                    metrics: metrics.retention,
                    logger: logger
                )
            )
            services.append(
                ErasureKeeper(commands: commands(on: requestStore, news: news, metrics: metrics), logger: logger)
            )
        }
        if settings.roles.contains(.api) {
            if let certificates { services.append(certificates) }
            let diagnosisPool = PostgresPool.forDiagnosis(settings.database, logger: logger)
            metrics.watch(diagnosisPool, as: "diagnosis")
            services.append(diagnosisPool)
            let playersAPI = api(
                store: requestStore,
                diagnosisStore: GameStore(pool: diagnosisPool, metrics: metrics.store),
                news: news,
                streamNews: streamNews,
                pushes: operatorPushes,
                readiness: readiness,
                metrics: metrics
            )
            services.append(
                ListeningServer(
                    server: playersAPI.server(
                        host: settings.httpHost,
                        port: settings.httpPort,
                        limits: ServingLimits(settings.serving),
                        tls: certificates?.context,
                        onServing: { onServing.yield(.http($0)) }
                    ),
                    host: settings.httpHost,
                    port: settings.httpPort,
                    names: (port: "--port", host: "--host")
                )
            )
        }
        services.append(
            Announcement(
                roles: settings.roles,
                hasMetrics: settings.metricsPort != nil,
                ports: ports,
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
        let pool = PostgresPool(settings.database, connections: 1, statementTimeout: nil, logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            for migration in try await GameStore(pool: pool).migrate().pending {
                logger.notice("applied a migration", metadata: ["migration": "\(migration.name)"])
            }
            group.cancelAll()
        }
    }

    private func engine(store: GameStore, news: Doorbell, metrics: NodeMetrics) -> GameEngine {
        GameEngine(
            store: store,
            settings: settings.game,
            surroundings: .system,
            news: news,
            metrics: metrics.engine,
            logger: logger
        )
    }

    private func commands(on store: GameStore, news: Doorbell, metrics: NodeMetrics) -> GameCommands {
        GameCommands(
            store: store,
            settings: settings.game,
            surroundings: .system,
            news: news,
            metrics: metrics.commands
        )
    }

    private func api(
        store: GameStore,
        diagnosisStore: GameStore,
        news: Doorbell,
        streamNews: Doorbell,
        pushes: OperatorPushes?,
        readiness: Readiness,
        metrics: NodeMetrics
    ) -> PartyAPI {
        PartyAPI(
            store: store,
            diagnosisStore: diagnosisStore,
            commands: commands(on: store, news: news, metrics: metrics),
            surroundings: .system,
            readiness: readiness,
            news: streamNews,
            pushes: pushes,
            cadence: settings.cadence,
            limits: settings.limits,
            origins: settings.corsOrigins,
            metrics: metrics.api,
            logger: logger
        )
    }

    /// Whether APNs takes what this node sends; players are served without it, so a node with the API stays ready.
    private func routeChecks(_ metrics: DispatcherMetrics) -> [ReadinessCheck] {
        guard !settings.roles.contains(.api), let apns = settings.apns else { return [] }
        let environments = apns.routes.map { PushEnvironment($0.environment) }
        return [
            ReadinessCheck("apns") {
                environments.contains(where: metrics.hasStoppedRoute)
                    ? "APNs refuses everything; the log and rangersctl doctor say why." : nil
            }
        ]
    }

    private func clear(_ readyFile: ReadyFile) throws(RangersdFailure) {
        do {
            try readyFile.clear()
        } catch {
            throw RangersdFailure(readyFile)
        }
    }
}
