import APNsClient
import CommandLineSupport
import Encodings
import Foundation
import GameCore
import GameStore
import Logging
import RangersSettings
import ServiceRuntime

extension APNsClient {
    /// Creates a client for one of the environments in the settings.
    /// - Throws: ``RangersdFailure`` for an unusable certificate authority.
    convenience init(
        _ settings: APNsSettings,
        environment: APNsEnvironment,
        key: ProviderKey,
        logger: Logger
    ) throws {
        if let authority = settings.certificateAuthorityFile {
            _ = try TextFile.read(authority, for: .apnsCertificateAuthorityFile)
        }
        var configuration = Configuration(
            environment: environment,
            host: settings.host,
            port: settings.port,
            caFile: settings.certificateAuthorityFile,
            providerKey: key
        )
        configuration.channelHost = settings.host
        configuration.channelPort = settings.channelsPort
        do {
            try self.init(configuration: configuration, now: { Runtime.system.now().epochSeconds }, logger: logger)
        } catch {
            throw RangersdFailure(explanation: "APNs: \(error)", exitStatus: .badSettings)
        }
    }
}

extension TextFile {
    fileprivate static func read(_ path: String, for setting: Setting) throws(RangersdFailure) -> String {
        do throws(TextFileError) {
            return try read(path)
        } catch {
            throw RangersdFailure(
                explanation: "\(setting.rawValue): \(path) \(error.reason)",
                exitStatus: .badSettings
            )
        }
    }
}

extension PushEnvironment {
    /// Creates the environment of the device tokens that a client of an APNs environment can push to.
    init(_ environment: APNsEnvironment) {
        self =
            switch environment {
            case .production: .production
            case .sandbox: .sandbox
            case .simulator: .simulator
            }
    }
}
