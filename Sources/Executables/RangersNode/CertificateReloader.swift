import Foundation
import HTTPServing
import Logging
import NodeSettings
import RangersSettings
import ServiceLifecycle

/// Reloads the TLS certificate and its key when their files change.
///
/// On SIGHUP, the settings are reloaded first, because they may name other files. Otherwise, the files are checked
/// every few seconds. The certificate and the key may be replaced one after the other: until they match, the ones
/// in use are kept.
struct CertificateReloader: Service {
    /// The interval between checks without a signal.
    ///
    /// Both files are small and read completely.
    private static let interval = Duration.seconds(10)

    private enum Trigger {
        case hangup
        case interval
    }

    /// The TLS context of new connections.
    let context: ServerTLSContext
    private let files: ServingSettings.TLSFiles
    private let texts: CertificateFiles
    private let hangups: AsyncStream<Void>
    private let reloadSettings: @Sendable () throws(SettingsError) -> ServiceSettings
    private let logger: Logger

    /// Reads certificate and key; nil if none are set or the node has no API.
    /// - Parameters:
    ///   - settings: the settings, which name the files.
    ///   - hangups: yields for each SIGHUP.
    ///   - reloadSettings: reads the current settings.
    ///   - logger: logs new certificates and unusable files.
    /// - Throws: ``CertificateError``.
    init?(
        _ settings: ServiceSettings,
        hangups: AsyncStream<Void>,
        _ reloadSettings: @escaping @Sendable () throws(SettingsError) -> ServiceSettings,
        logger: Logger
    ) throws(CertificateError) {
        guard settings.roles.contains(.api), let files = settings.serving.tls else { return nil }
        self.files = files
        self.hangups = hangups
        self.reloadSettings = reloadSettings
        self.logger = logger
        texts = try CertificateFiles(files)
        let identity = try texts.identity(in: files)
        context = ServerTLSContext(identity)
        log(identity)
    }

    /// Keeps the certificate up to date until graceful shutdown or cancellation.
    func run() async throws {
        let (triggers, continuation) = AsyncStream.makeStream(of: Trigger.self)
        await withTaskGroup { group in
            group.addTask {
                for await _ in hangups { continuation.yield(.hangup) }
            }
            group.addTask {
                // Only cancellation ends the loop.
                while (try? await Task.sleep(for: Self.interval)) != nil { continuation.yield(.interval) }
            }
            var files = files
            var texts = texts
            var problem: CertificateError?
            for await trigger in triggers.cancelOnGracefulShutdown() {
                if trigger == .hangup {
                    reloadPaths(into: &files)
                    problem = nil
                }
                do throws(CertificateError) {
                    let found = try CertificateFiles(files)
                    if found != texts {
                        let identity = try found.identity(in: files)
                        context.use(identity)
                        texts = found
                        log(identity)
                    }
                    problem = nil
                } catch {
                    guard error != problem else { continue }
                    problem = error
                    logger.error(
                        "the new TLS certificate is unusable; the current one stays in use",
                        metadata: ["reason": "\(error)"]
                    )
                }
            }
            group.cancelAll()
        }
    }

    private func reloadPaths(into files: inout ServingSettings.TLSFiles) {
        do throws(SettingsError) {
            logger.notice("reloading the TLS certificate")
            if let named = try reloadSettings().serving.tls { files = named }
        } catch {
            logger.error("the settings are invalid; the TLS certificate stays", metadata: ["reason": "\(error)"])
        }
    }

    private func log(_ identity: ServerIdentity) {
        logger.notice(
            "using a TLS certificate",
            metadata: ["expires": "\(identity.expiresAt.formatted(.iso8601))"]
        )
    }
}
