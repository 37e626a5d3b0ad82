import APNsClient
import GameCore
import GameStore
import Logging
import NodeSettings
import RangersSettings
import ServiceLifecycle

/// The APNs clients of a node, one for each environment; reloads their provider keys when the files change.
///
/// On SIGHUP, the settings are reloaded first, because they may name other keys; other changed settings need a restart.
/// Otherwise, the files are checked every few seconds.
struct APNsClients: Service {
    /// The interval between checks without a signal.
    ///
    /// The files are small and read completely.
    private static let interval = Duration.seconds(10)

    private struct KeyedClient {
        let client: APNsClient
        var file: ProviderKeyFile
        var watch: ProviderKeyWatch
    }

    private enum Trigger {
        case hangup
        case interval
    }

    private let clientsByEnvironment: [APNsEnvironment: KeyedClient]
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
        var clientsByEnvironment: [APNsEnvironment: KeyedClient] = [:]
        for configured in settings.environmentKeys {
            let key = try configured.key.read()
            clientsByEnvironment[configured.environment] = KeyedClient(
                client: try APNsClient(settings, environment: configured.environment, key: key, logger: logger),
                file: configured.key,
                watch: ProviderKeyWatch(using: key)
            )
        }
        self.clientsByEnvironment = clientsByEnvironment
        self.hangups = hangups
        self.reloadSettings = reloadSettings
        self.logger = logger
        // Environments may share a key file.
        for warning in Set(settings.environmentKeys.compactMap(\.key.permissionWarning)).sorted() { log(warning) }
    }

    /// The clients by the environment of their device tokens.
    var clients: [PushEnvironment: APNsClient] {
        Dictionary(uniqueKeysWithValues: clientsByEnvironment.map { (PushEnvironment($0), $1.client) })
    }

    /// Keeps the keys up to date until graceful shutdown or cancellation.
    func run() async throws {
        var clientsByEnvironment = clientsByEnvironment
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
                if trigger == .hangup { reloadFiles(into: &clientsByEnvironment) }
                await update(&clientsByEnvironment, isReloadRequested: trigger == .hangup)
            }
            group.cancelAll()
        }
    }

    private func reloadFiles(into clientsByEnvironment: inout [APNsEnvironment: KeyedClient]) {
        do throws(SettingsError) {
            logger.notice("reloading the provider keys")
            for configured in try reloadSettings().apns?.environmentKeys ?? [] {
                clientsByEnvironment[configured.environment]?.file = configured.key
            }
        } catch {
            logger.error("the settings are invalid; the provider keys stay", metadata: ["reason": "\(error)"])
        }
    }

    private func update(_ clientsByEnvironment: inout [APNsEnvironment: KeyedClient], isReloadRequested: Bool) async {
        for environment in APNsEnvironment.allCases {
            guard var keyed = clientsByEnvironment[environment] else { continue }
            switch keyed.watch.check(keyed.file, isReloadRequested: isReloadRequested) {
            case .unchanged:
                break
            case .replaced(by: let key):
                // On failure the client keeps its watch, which finds the new key again.
                guard await use(key, on: keyed.client) else { continue }
                if let warning = keyed.file.permissionWarning { log(warning) }
            case .unusable(let error):
                logger.error(
                    "the new provider key is unusable; the current one stays in use",
                    metadata: ["reason": "\(error)"]
                )
            }
            clientsByEnvironment[environment] = keyed
        }
    }

    private func log(_ permissionWarning: String) {
        logger.warning("other users have access to the provider key", metadata: ["reason": "\(permissionWarning)"])
    }

    private func use(_ key: ProviderKey, on client: APNsClient) async -> Bool {
        do {
            try await client.use(key)
            return true
        } catch {
            logger.error(
                "the new provider key could not be applied; it will be retried",
                metadata: ["reason": "\(error)"]
            )
            return false
        }
    }
}
