import APNsClient
import CommandLineSupport
import CoreMetrics
import Foundation
import GameCore
import GameEngine
import GameStore
import HTTPServing
import Logging
import NodeMonitoring
import NodeSettings
import PartyAPI
import PostgresClient
import PushDispatcher
import RangersMetrics
import RangersSettings
import ServiceLifecycle
import ServiceRuntime
import UnixSignals

/// A running `rangersd`: the services of its roles.
///
/// Nodes do not communicate with each other; they only share the database.
struct Node {
    /// The time limit of a graceful shutdown: below the 30 s after which Kubernetes kills a pod, above the time that
    /// the services need to drain.
    static let drainSeconds = 20

    let settings: ServiceSettings
    /// Reads the current settings.
    let reloadSettings: @Sendable () throws(SettingsError) -> ServiceSettings
    let readyFile: ReadyFile?
    let serviceManager: ServiceNotifier
    /// Services of the program that embeds the server.
    let additionalServices: [any Service]
    let logger: Logger

    /// Runs the services until SIGTERM or SIGINT.
    func run() async throws {
        // A write to a closed connection must fail with an error instead of terminating the process.
        signal(SIGPIPE, SIG_IGN)
        if let readyFile {
            try clear(readyFile)
        }
        // SIGHUP is trapped early, and even without files to reload: its default action terminates the process.
        let hangups = HangupSignal(signals: await UnixSignalsSequence(trapping: .sighup))
        let apnsClients = try settings.apns.map { apns in
            try APNsClients(apns, hangups: hangups.listen(), reloadSettings: reloadSettings, logger: logger)
        }
        let apple = try appleSignIn()
        let certificates = try CertificateReloader(settings, hangups: hangups.listen(), reloadSettings, logger: logger)
        allowConnections()
        try await migrate()
        let shutdownFlag = ShutdownFlag()
        let (ports, onServing) = AsyncStream<StartupNotifier.Port>.makeStream()
        let context = context(shutdownFlag: shutdownFlag, onServing: onServing)

        // The order is that of the dependencies: services are stopped in reverse order.
        var services: [any Service] = additionalServices + context.database.pools + [hangups]
        // The metrics server stops late, so that a node can be monitored during its shutdown.
        services += monitoringServices(context)
        var diagnostics: APNsDiagnostics?
        if let apns = settings.apns, let apnsClients {
            let pushSettings = DispatcherSettings(policy: settings.cadence, bundleID: apns.bundleID)
            diagnostics = APNsDiagnostics(
                PushTester(clients: apnsClients.clients, settings: pushSettings, runtime: .system)
            )
            services += pushServices(context, over: apnsClients, pushSettings)
        }
        if settings.roles.contains(.engine) { services += engineServices(context) }
        if settings.roles.contains(.api) {
            services += apiServices(context, apple: apple, diagnostics: diagnostics, certificates)
        }
        services.append(
            StartupNotifier(
                roles: settings.roles,
                hasAdmin: settings.adminPort != nil,
                hasMetrics: settings.metricsPort != nil,
                ports: ports,
                readyFile: readyFile,
                serviceManager: serviceManager,
                logger: logger
            )
        )
        try await serve(services, shutdownFlag)
    }

    private func context(
        shutdownFlag: ShutdownFlag,
        onServing: AsyncStream<StartupNotifier.Port>.Continuation
    ) -> NodeContext {
        let metrics = NodeMetrics(version: RangersVersion.current, roles: settings.roles.text)
        // The metrics of libraries, and of the additional services.
        MetricsSystem.bootstrap(LibraryMetrics(registry: metrics.registry))
        let database = NodeDatabase(settings.database, metrics: metrics, logger: logger)
        return NodeContext(
            database: database,
            metrics: metrics,
            readiness: Readiness(
                [.database(database.monitoring)],
                immediate: [shutdownFlag.readiness, .dispatcher(metrics.dispatcher)] + apnsChecks(metrics.dispatcher),
                restricting: [.lockedShards(database.shardQueue), .databaseMachines(database.monitoring)]
            ),
            onServing: onServing
        )
    }

    private func serve(_ services: [any Service], _ shutdownFlag: ShutdownFlag) async throws {
        var configuration = ServiceGroupConfiguration(services: services, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(Self.drainSeconds)
        let group = ServiceGroup(configuration: configuration)
        let controller = ShutdownController(
            flag: shutdownFlag,
            // Only the API is behind load balancers, which need time to notice the shutdown.
            delay: settings.roles.contains(.api) ? settings.serving.stopDelay : .zero,
            serviceManager: serviceManager,
            logger: logger
        )
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { await controller.run(group, on: signals) }
            defer { tasks.cancelAll() }
            try await group.run()
        }
        logger.notice("rangersd has stopped")
    }

    /// Applies pending migrations over a connection without a timeout, because a migration, or waiting for that of
    /// another node, may take long.
    private func migrate() async throws {
        let pool = PostgresPool(settings.database, connections: 1, statementTimeout: nil, logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            let report = try await GameStore(pool: pool).migrate { [logger] delay in
                logger.warning("a migration waits for a lock", metadata: ["reason": "\(delay)"])
            }
            for migration in report.pending {
                logger.notice("applied a migration", metadata: ["migration": "\(migration.name)"])
            }
            group.cancelAll()
        }
    }

    /// Returns the readiness check of APNs.
    ///
    /// A node with the API has none, because it can serve players without APNs.
    private func apnsChecks(_ metrics: DispatcherMetrics) -> [ReadinessCheck] {
        guard !settings.roles.contains(.api), let apns = settings.apns else { return [] }
        let environments = apns.environmentKeys.map { PushEnvironment($0.environment) }
        return [
            ReadinessCheck("apns") {
                environments.contains(where: metrics.isBreakerOpen)
                    ? "APNs refuses everything; the log and rangersctl doctor say why." : nil
            }
        ]
    }

    /// Raises the limit of open files so that all connections of the API are possible.
    private func allowConnections() {
        let required = settings.serving.maxConnections + Self.reservedFiles
        guard let limit = OpenFiles.raiseLimit(to: required), limit < required else { return }
        logger.warning(
            "the limit of open files is too low for RANGERS_HTTP_CONNECTIONS",
            metadata: ["limit": "\(limit)", "needed": "\(required)"]
        )
    }

    /// The open files other than clients' connections: the database, APNs, timers, logs.
    private static let reservedFiles = 200

    private func clear(_ readyFile: ReadyFile) throws(RangersdFailure) {
        do {
            try readyFile.clear()
        } catch {
            throw RangersdFailure(readyFile)
        }
    }
}
