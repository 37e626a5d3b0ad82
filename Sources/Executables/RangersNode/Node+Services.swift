import APNsClient
import GameEngine
import GameStore
import HTTPServing
import NodeMonitoring
import NodeSettings
import PartyAPI
import PostgresClient
import PushDispatcher
import RangersSettings
import ServiceLifecycle
import ServiceRuntime
import SignInWithApple

/// The dependencies that the services of a node share.
struct NodeContext {
    let database: NodeDatabase
    let metrics: NodeMetrics
    let readiness: Readiness
    /// Receives each bound port.
    let onServing: AsyncStream<StartupNotifier.Port>.Continuation
    /// The wake signals of the dispatcher and of players' streams; each has a single waiter.
    let dispatcherWakeSignal: WakeSignal
    let streamWakeSignal: WakeSignal
    /// Notifies both wake signals when an adventure has progressed.
    let wakeSignal: WakeSignal

    init(
        database: NodeDatabase,
        metrics: NodeMetrics,
        readiness: Readiness,
        onServing: AsyncStream<StartupNotifier.Port>.Continuation
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

// The services of each role, in the order of their dependencies.

extension Node {
    /// Returns the metrics server; empty if it is not configured.
    func monitoringServices(_ context: NodeContext) -> [any Service] {
        guard let port = settings.metricsPort else { return [] }
        let server = MonitoringServer(
            registry: context.metrics.registry,
            readiness: context.readiness,
            host: settings.metricsHost,
            port: port,
            limits: ServingLimits(settings.serving),
            metrics: context.metrics.http,
            logger: logger,
            onServing: { context.onServing.yield(.metrics($0)) }
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

    /// Returns the APNs clients, and the dispatcher if the node has that role.
    ///
    /// Without the dispatcher, the clients send only test pushes.
    func pushServices(
        _ context: NodeContext,
        over apnsClients: APNsClients,
        _ pushSettings: DispatcherSettings
    ) -> [any Service] {
        let clients = apnsClients.clients
        for (environment, client) in clients { context.metrics.watch(client, for: environment) }
        let services = clients.values.map { $0 as any Service } + [apnsClients]
        guard settings.roles.contains(.dispatcher) else { return services }
        let dispatcher = PushDispatcher(
            store: context.database.work,
            leaseStore: context.database.leases,
            clients: clients,
            settings: pushSettings,
            runtime: .system,
            wakeSignal: context.dispatcherWakeSignal,
            metrics: context.metrics.dispatcher,
            logger: logger
        )
        let keeper = ChannelKeeper(
            store: context.database.work,
            clients: clients,
            bundleID: pushSettings.bundleID,
            sources: { [.raids(in: context.database.work), .spectators(in: context.database.work)] },
            runtime: .system,
            metrics: context.metrics.dispatcher,
            logger: logger
        )
        return services + [UrgentService(dispatcher), keeper]
    }

    /// Returns the engine, and the services for retention, the erasure of players and their progress.
    func engineServices(_ context: NodeContext) -> [any Service] {
        let engine = GameEngine(
            store: context.database.work,
            runtime: .system,
            wakeSignal: context.wakeSignal,
            metrics: context.metrics.engine,
            logger: logger
        )
        let retentionWorker = RetentionWorker(
            // Removals may take long, so they do not use the connections of the engine.
            store: context.database.requests,
            settings: settings.retention,
            metrics: context.metrics.retention,
            logger: logger
        )
        let commands = self.commands(context)
        return [
            UrgentService(engine), retentionWorker, ErasureWorker(commands: commands, logger: logger),
            AwardWorker(commands: commands, logger: logger),
            RaidWorker(
                store: context.database.work,
                runtime: .system,
                wakeSignal: context.wakeSignal,
                metrics: context.metrics.raids,
                logger: logger
            ),
        ]
    }

    /// Returns the verifier of Sign in with Apple; nil if it is off, or if this node has no API.
    /// - Throws: the reason why the keys' file is unusable.
    func appleSignIn() throws(AppleKeysError) -> AppleSignIn? {
        guard settings.roles.contains(.api), let apple = settings.apple else { return nil }
        return try AppleSignIn(source: apple.keys, bundleIDs: apple.bundleIDs, runtime: .system, logger: logger)
    }

    /// Returns the server of the API for players and operators, or one for each if operators have a port of their own.
    func apiServices(
        _ context: NodeContext,
        apple: AppleSignIn?,
        diagnostics: APNsDiagnostics?,
        _ certificates: CertificateReloader?
    ) -> [any Service] {
        let diagnosisPool = PostgresPool.forDiagnosis(settings.database, logger: logger)
        context.metrics.watch(diagnosisPool, as: "diagnosis")
        let api = PartyAPI(
            store: context.database.requests,
            diagnosisStore: GameStore(pool: diagnosisPool, metrics: context.metrics.store),
            commands: commands(context),
            runtime: .system,
            readiness: context.readiness,
            wakeSignal: context.streamWakeSignal,
            apple: apple,
            diagnostics: diagnostics,
            cadence: settings.cadence,
            limits: settings.limits,
            origins: settings.corsOrigins,
            metrics: context.metrics.http,
            receipts: context.metrics.receipts,
            logger: logger
        )
        let server = ListeningServer(
            server: api.server(
                for: settings.adminPort == nil ? .everyone : .players,
                host: settings.httpHost,
                port: settings.httpPort,
                limits: ServingLimits(settings.serving),
                tls: certificates?.context,
                onServing: { context.onServing.yield(.http($0)) }
            ),
            host: settings.httpHost,
            port: settings.httpPort,
            names: (port: "--port", host: "--host")
        )
        let first: [any Service] = (certificates.map { [$0] } ?? []) + [diagnosisPool]
        return first + operatorsServer(of: api, context, certificates) + [server]
    }

    /// Returns the server of the operators' API; empty if the players' server has it.
    private func operatorsServer(
        of api: PartyAPI,
        _ context: NodeContext,
        _ certificates: CertificateReloader?
    ) -> [any Service] {
        guard let port = settings.adminPort else { return [] }
        let server = api.server(
            for: .operators,
            host: settings.adminHost,
            port: port,
            limits: ServingLimits(settings.serving),
            tls: certificates?.context,
            onServing: { context.onServing.yield(.admin($0)) }
        )
        return [
            ListeningServer(
                server: server,
                host: settings.adminHost,
                port: port,
                names: (port: Setting.adminPort.rawValue, host: Setting.adminHost.rawValue)
            )
        ]
    }

    private func commands(_ context: NodeContext) -> GameCommands {
        GameCommands(
            store: context.database.requests,
            settings: settings.game,
            quotas: settings.quotas,
            runtime: .system,
            wakeSignal: context.wakeSignal,
            metrics: context.metrics.commands
        )
    }
}
