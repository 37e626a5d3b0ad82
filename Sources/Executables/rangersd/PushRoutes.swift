import APNsClient
import GameStore
import Logging
import RangersSettings
import ServiceLifecycle

/// The ways to APNs: a client for each environment, and what keeps their provider keys up to date.
///
/// On SIGHUP the settings are read again, for the keys that they name now; what else has changed in them waits for the
/// next start. In between, the files are looked at every few seconds.
struct PushRoutes: Service {
    /// How long a replaced file may go unnoticed without a signal; it is small, and read as a whole.
    private static let interval = Duration.seconds(10)

    private struct Route {
        let client: APNsClient
        var file: ProviderKeyFile
        var watch: ProviderKeyWatch
    }

    private enum Occasion {
        case told
        case interval
    }

    private let routes: [APNsEnvironment: Route]
    private let hangups: AsyncStream<Void>
    private let rereadSettings: @Sendable () throws(SettingsError) -> ServiceSettings
    private let logger: Logger

    /// Reads the keys and makes the clients.
    /// - Parameters:
    ///   - settings: the routes and their keys.
    ///   - hangups: yields when SIGHUP came.
    ///   - rereadSettings: reads the settings as they are by then.
    ///   - logger: is told of keys that are replaced, and of files that cannot be used.
    /// - Throws: ``ProviderKeyFileError`` for a key, ``RangersdFailure`` for an authority that cannot be used.
    init(
        _ settings: APNsSettings,
        hangups: AsyncStream<Void>,
        rereadSettings: @escaping @Sendable () throws(SettingsError) -> ServiceSettings,
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
        self.rereadSettings = rereadSettings
        self.logger = logger
        // Two environments may have one file.
        for exposure in Set(settings.routes.compactMap(\.key.exposure)).sorted() { warn(of: exposure) }
    }

    /// Who sends, by the environment of the device token.
    var clients: [PushEnvironment: APNsClient] {
        Dictionary(uniqueKeysWithValues: routes.map { (PushEnvironment($0), $1.client) })
    }

    /// Keeps the keys up to date until graceful shutdown or cancellation.
    func run() async throws {
        var routes = routes
        let (occasions, occur) = AsyncStream.makeStream(of: Occasion.self)
        await withTaskGroup { group in
            group.addTask {
                for await _ in hangups { occur.yield(.told) }
            }
            group.addTask {
                // Ends by cancellation only.
                while (try? await Task.sleep(for: Self.interval)) != nil { occur.yield(.interval) }
            }
            for await occasion in occasions.cancelOnGracefulShutdown() {
                if occasion == .told { reread(into: &routes) }
                await update(&routes, isAskedFor: occasion == .told)
            }
            group.cancelAll()
        }
    }

    private func reread(into routes: inout [APNsEnvironment: Route]) {
        do throws(SettingsError) {
            logger.notice("reading the provider keys again")
            for route in try rereadSettings().apns?.routes ?? [] { routes[route.environment]?.file = route.key }
        } catch {
            logger.error("the settings are wrong by now; the provider keys stay", metadata: ["why": "\(error)"])
        }
    }

    private func update(_ routes: inout [APNsEnvironment: Route], isAskedFor: Bool) async {
        for environment in APNsEnvironment.allCases {
            guard var route = routes[environment] else { continue }
            switch route.watch.look(at: route.file, isAskedFor: isAskedFor) {
            case .nothing:
                break
            case .replaced(by: let key):
                // What failed is tried again: the watch does not know of the new key then.
                guard await use(key, on: route.client) else { continue }
                if let exposure = route.file.exposure { warn(of: exposure) }
            case .unusable(let error):
                logger.error("the provider key in use stays", metadata: ["why": "\(error)"])
            }
            routes[environment] = route
        }
    }

    private func warn(of exposure: String) {
        logger.warning("the provider key is open to others than this service", metadata: ["why": "\(exposure)"])
    }

    private func use(_ key: ProviderKey, on client: APNsClient) async -> Bool {
        do {
            try await client.use(key)
            return true
        } catch {
            logger.error("the new provider key cannot be used yet", metadata: ["why": "\(error)"])
            return false
        }
    }
}
