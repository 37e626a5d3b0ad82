import APNsClient
import GameEngine
import GameStore
import NodeMonitoring
import PartyAPI
import PostgresClient
import PushDispatcher
import RangersSettings
import ServiceLifecycle
import ServiceRuntime

/// What the parts of a node have in common.
struct NodeCommons {
    let database: NodeDatabase
    let metrics: NodeMetrics
    let readiness: Readiness
    /// Is told of each port that is served.
    let onServing: AsyncStream<Announcement.Port>.Continuation
    /// Rung when the game goes on, for the dispatcher and for players' streams; each must be waited on by one alone.
    let dispatcherWakeSignal: WakeSignal
    let streamWakeSignal: WakeSignal
    /// Rings both.
    let wakeSignal: WakeSignal

    init(
        database: NodeDatabase,
        metrics: NodeMetrics,
        readiness: Readiness,
        onServing: AsyncStream<Announcement.Port>.Continuation
    ) {
        self.database = database
        self.metrics = metrics
        self.readiness = readiness
        self.onServing = onServing
        dispatcherWakeSignal = WakeSignal()
        streamWakeSignal = WakeSignal()
        wakeSignal = WakeSignal(forwardingTo: [dispatcherWakeSignal, streamWakeSignal])
    }
}

// The services of each part, in the order of dependency.

extension Node {
    /// What the node tells of itself, if it is to tell anything.
    func monitoringServices(_ commons: NodeCommons) -> [any Service] {
        guard let port = settings.metricsPort else { return [] }
        let server = MonitoringServer(
            registry: commons.metrics.registry,
            readiness: commons.readiness,
            host: settings.metricsHost,
            port: port,
            logger: logger,
            onServing: { commons.onServing.yield(.metrics($0)) }
        )
        return [
            ListeningServer(
                server: server,
                host: settings.metricsHost,
                port: port,
                names: (port: Setting.metricsPort.rawValue, host: Setting.metricsHost.rawValue)
            )
        ]
    }

    /// The ways to APNs, and the dispatcher where the node has that role: without it, it has clients for what its operators
    /// push, and sends nothing else.
    func pushServices(
        _ commons: NodeCommons,
        over routes: PushRoutes,
        _ pushSettings: DispatcherSettings
    ) -> [any Service] {
        let clients = routes.clients
        for (environment, client) in clients { commons.metrics.watch(client, for: environment) }
        let ways = clients.values.map { $0 as any Service } + [routes]
        guard settings.roles.contains(.dispatcher) else { return ways }
        let dispatcher = PushDispatcher(
            store: commons.database.work,
            leaseStore: commons.database.leases,
            clients: clients,
            settings: pushSettings,
            runtime: .system,
            wakeSignal: commons.dispatcherWakeSignal,
            metrics: commons.metrics.dispatcher,
            logger: logger
        )
        return ways + [dispatcher]
    }

    /// What plays the game, and clears away what is old.
    func engineServices(_ commons: NodeCommons) -> [any Service] {
        let engine = GameEngine(
            store: commons.database.work,
            settings: settings.game,
            runtime: .system,
            wakeSignal: commons.wakeSignal,
            metrics: commons.metrics.engine,
            logger: logger
        )
        let housekeeper = Housekeeper(
            // It may take its time.
            store: commons.database.requests,
            settings: settings.retention,
            runtime: .system,
            metrics: commons.metrics.retention,
            logger: logger
        )
        return [engine, housekeeper, ErasureKeeper(commands: commands(commons), logger: logger)]
    }

    /// What answers players and operators.
    func apiServices(
        _ commons: NodeCommons,
        pushes: OperatorPushes?,
        _ certificates: CertificateWatch?
    ) -> [any Service] {
        let diagnosisPool = PostgresPool.forDiagnosis(settings.database, logger: logger)
        commons.metrics.watch(diagnosisPool, as: "diagnosis")
        let api = PartyAPI(
            store: commons.database.requests,
            diagnosisStore: GameStore(pool: diagnosisPool, metrics: commons.metrics.store),
            commands: commands(commons),
            runtime: .system,
            readiness: commons.readiness,
            wakeSignal: commons.streamWakeSignal,
            pushes: pushes,
            cadence: settings.cadence,
            limits: settings.limits,
            origins: settings.corsOrigins,
            metrics: commons.metrics.api,
            logger: logger
        )
        let server = ListeningServer(
            server: api.server(
                host: settings.httpHost,
                port: settings.httpPort,
                limits: ServingLimits(settings.serving),
                tls: certificates?.context,
                onServing: { commons.onServing.yield(.http($0)) }
            ),
            host: settings.httpHost,
            port: settings.httpPort,
            names: (port: "--port", host: "--host")
        )
        return (certificates.map { [$0] } ?? []) + [diagnosisPool, server]
    }

    private func commands(_ commons: NodeCommons) -> GameCommands {
        GameCommands(
            store: commons.database.requests,
            settings: settings.game,
            runtime: .system,
            wakeSignal: commons.wakeSignal,
            metrics: commons.metrics.commands
        )
    }
}
