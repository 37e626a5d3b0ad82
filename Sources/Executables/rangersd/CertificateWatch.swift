import Foundation
import Logging
import PartyAPI
import RangersSettings
import ServiceLifecycle

/// Keeps the certificate up to date that clients are shown: renewed ones are used without a restart.
///
/// On SIGHUP the settings are read again, for the files that they name now. In between, the files are looked at every few
/// seconds. Certificate and key may be replaced one after the other: while they do not fit, those in use stay.
struct CertificateWatch: Service {
    /// How long a replaced file may go unnoticed without a signal; both are small, and read as a whole.
    private static let interval = Duration.seconds(10)

    private enum Occasion {
        case told
        case interval
    }

    /// What new connections get.
    let context: TLSContext
    private let files: ServingSettings.TLSFiles
    private let texts: CertificateFiles
    private let hangups: AsyncStream<Void>
    private let rereadSettings: @Sendable () throws(SettingsError) -> ServiceSettings
    private let logger: Logger

    /// Reads certificate and key; nil where none are set, or nothing is served.
    /// - Parameters:
    ///   - settings: name the files.
    ///   - hangups: yields when SIGHUP came.
    ///   - rereadSettings: reads the settings as they are by then.
    ///   - logger: is told of certificates that are used, and of files that cannot be.
    /// - Throws: ``CertificateError``.
    init?(
        _ settings: ServiceSettings,
        hangups: AsyncStream<Void>,
        _ rereadSettings: @escaping @Sendable () throws(SettingsError) -> ServiceSettings,
        logger: Logger
    ) throws(CertificateError) {
        guard settings.roles.contains(.api), let files = settings.serving.tls else { return nil }
        self.files = files
        self.hangups = hangups
        self.rereadSettings = rereadSettings
        self.logger = logger
        texts = try CertificateFiles(files)
        let identity = try texts.identity(in: files)
        context = TLSContext(identity)
        announce(identity)
    }

    /// Keeps the certificate up to date until graceful shutdown or cancellation.
    func run() async throws {
        let (occasions, occur) = AsyncStream.makeStream(of: Occasion.self)
        await withTaskGroup { group in
            group.addTask {
                for await _ in hangups { occur.yield(.told) }
            }
            group.addTask {
                // Ends by cancellation only.
                while (try? await Task.sleep(for: Self.interval)) != nil { occur.yield(.interval) }
            }
            var files = files
            var texts = texts
            var problem: CertificateError?
            for await occasion in occasions.cancelOnGracefulShutdown() {
                if occasion == .told {
                    reread(into: &files)
                    problem = nil
                }
                do throws(CertificateError) {
                    let found = try CertificateFiles(files)
                    if found != texts {
                        let identity = try found.identity(in: files)
                        context.use(identity)
                        texts = found
                        announce(identity)
                    }
                    problem = nil
                } catch {
                    guard error != problem else { continue }
                    problem = error
                    logger.error("the TLS certificate in use stays", metadata: ["why": "\(error)"])
                }
            }
            group.cancelAll()
        }
    }

    private func reread(into files: inout ServingSettings.TLSFiles) {
        do throws(SettingsError) {
            logger.notice("reading the TLS certificate again")
            if let named = try rereadSettings().serving.tls { files = named }
        } catch {
            logger.error("the settings are wrong by now; the TLS certificate stays", metadata: ["why": "\(error)"])
        }
    }

    private func announce(_ identity: ServerIdentity) {
        logger.notice(
            "a TLS certificate is in use",
            metadata: ["expires": "\(identity.expiresAt.formatted(.iso8601))"]
        )
    }
}
