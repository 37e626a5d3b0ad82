import APNsClient
import GameCore
import GameStore
import Logging
import NodeSettings
import RangersSettings
import ServiceLifecycle

/// A client for each APNs environment; reloads their provider keys when the files change.
///
/// On SIGHUP, the settings are reloaded first, because they may name other keys; other changed settings need a restart.
/// Otherwise, the files are checked every few seconds.
struct APNsClients: Service {
    /// The interval between checks without a signal.
    ///
    /// The files are small and read completely.
    private static let interval = Duration.seconds(10)

    private struct Route {
        let client: APNsClient
        var file: ProviderKeyFile
        var watch: ProviderKeyWatch
    }

    private enum Trigger {
        case hangup
        case interval
    }

    private let routes: [APNsEnvironment: Route]
    private let hangups: AsyncStream<Void>
    private let reloadSettings: @Sendable () throws(SettingsError) -> ServiceSettings
    private let logger: Logger

    /// Reads the keys and creates the clients.
    /// - Parameters:
    ///   - settings: the environments and their keys.
    ///   - hangups: yields for each SIGHUP.
    ///   - reloadSettings: reads the current settings.
    ///   - logger: logs replaced keys and unusable files.
    /// - Throws: ``ProviderKeyFileError`` for an unusable key; ``RangersdFailure`` for an unusable certificate
    ///   authority.
    init(
        _ settings: APNsSettings,
        hangups: AsyncStream<Void>,
        reloadSettings: @escaping @Sendable () throws(SettingsError) -> ServiceSettings,
        logger: Logger
    ) throws {
        var routes: [APNsEnvironment: Route] = [:]
        for route in settings.routes {
            let key = try route.key.read()
            routes[route.environment] = Route(
                client: try APNsClient(settings, environment: route.environment, key: key, logger: logger),
                file: route.key,
                watch: ProviderKeyWatch(using: key)
            )
        }
        self.routes = routes
        self.hangups = hangups
        self.reloadSettings = reloadSettings
        self.logger = logger
        // Environments may share a key file.
        for warning in Set(settings.routes.compactMap(\.key.permissionWarning)).sorted() { log(warning) }
    }

    /// The clients by the environment of their device tokens.
    var clients: [PushEnvironment: APNsClient] {
        Dictionary(uniqueKeysWithValues: routes.map { (PushEnvironment($0), $1.client) })
    }

    /// Keeps the keys up to date until graceful shutdown or cancellation.
    func run() async throws {
        var routes = routes
        let (triggers, continuation) = AsyncStream.makeStream(of: Trigger.self)
        await withTaskGroup { group in
            group.addTask {
                for await _ in hangups { continuation.yield(.hangup) }
            }
            group.addTask {
                // Only cancellation ends the loop.
                while (try? await Task.sleep(for: Self.interval)) != nil { continuation.yield(.interval) }
            }
            for await trigger in triggers.cancelOnGracefulShutdown() {
                if trigger == .hangup { reloadFiles(into: &routes) }
                await update(&routes, isReloadRequested: trigger == .hangup)
            }
            group.cancelAll()
        }
    }

    private func reloadFiles(into routes: inout [APNsEnvironment: Route]) {
        do throws(SettingsError) {
            logger.notice("reloading the provider keys")
            for route in try reloadSettings().apns?.routes ?? [] { routes[route.environment]?.file = route.key }
        } catch {
            logger.error("the settings are invalid; the provider keys stay", metadata: ["why": "\(error)"])
        }
    }

    private func update(_ routes: inout [APNsEnvironment: Route], isReloadRequested: Bool) async {
        for environment in APNsEnvironment.allCases {
            guard var route = routes[environment] else { continue }
            switch route.watch.check(route.file, isReloadRequested: isReloadRequested) {
            case .unchanged:
                break
            case .replaced(by: let key):
                // On failure the route keeps its watch, which finds the new key again.
                guard await use(key, on: route.client) else { continue }
                if let warning = route.file.permissionWarning { log(warning) }
            case .unusable(let error):
                logger.error(
                    "the new provider key is unusable; the current one stays in use",
                    metadata: ["why": "\(error)"]
                )
            }
            routes[environment] = route
        }
    }

    private func log(_ permissionWarning: String) {
        logger.warning("other users have access to the provider key", metadata: ["why": "\(permissionWarning)"])
    }

    private func use(_ key: ProviderKey, on client: APNsClient) async -> Bool {
        do {
            try await client.use(key)
            return true
        } catch {
            logger.error("the new provider key could not be applied; it will be retried", metadata: ["why": "\(error)"])
            return false
        }
    }
}
