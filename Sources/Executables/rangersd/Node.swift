import ServiceRuntime
import APNsClient
import CommandLineSupport
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import NodeMonitoring
import PartyAPI
import PostgresClient
import PushDispatcher
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
        let stopNotice = StopNotice()
        let (ports, onServing) = AsyncStream<Announcement.Port>.makeStream()
        let commons = commons(stopNotice: stopNotice, onServing: onServing)

        // In the order of dependency: a service is stopped before those that stand above it.
        var services: [any Service] = commons.database.pools + [hangups]
        // Stopped late, so that a node that is stopping can be watched.
        services += monitoringServices(commons)
        var pushes: OperatorPushes?
        if let apns = settings.apns, let routes {
            let pushSettings = DispatcherSettings(policy: settings.cadence, bundleID: apns.bundleID)
            pushes = OperatorPushes(
                PushTester(clients: routes.clients, settings: pushSettings, runtime: .system)
            )
            services += pushServices(commons, over: routes, pushSettings)
        }
        if settings.roles.contains(.engine) { services += engineServices(commons) }
        if settings.roles.contains(.api) { services += apiServices(commons, pushes: pushes, certificates) }
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

    private func commons(
        stopNotice: StopNotice,
        onServing: AsyncStream<Announcement.Port>.Continuation
    ) -> NodeCommons {
        let metrics = NodeMetrics(version: RangersVersion.current, roles: settings.roles.text)
        let database = NodeDatabase(settings.database, metrics: metrics, logger: logger)
        return NodeCommons(
            database: database,
            metrics: metrics,
            readiness: Readiness(
                [.database(database.monitoring)],
                immediate: [stopNotice.readiness] + routeChecks(metrics.dispatcher)
            ),
            onServing: onServing
        )
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
