import APNsClient
import Foundation
import GameCore
import GameStore
import Logging
import RangersSettings

extension APNsClient {
    /// The client that the settings ask for.
    /// - Throws: ``RangersdFailure`` for a key or an authority that cannot be used.
    convenience init(_ settings: APNsSettings, logger: Logger) throws {
        if let authority = settings.certificateAuthorityFile {
            _ = try TextFile.read(authority, for: .apnsCertificateAuthorityFile)
        }
        let configuration = Configuration(
            environment: settings.environment,
            host: settings.host,
            port: settings.port,
            caFile: settings.certificateAuthorityFile,
            providerKey: try ProviderKey(settings)
        )
        do {
            try self.init(configuration: configuration, now: { Surroundings.system.now().epochSeconds }, logger: logger)
        } catch {
            throw RangersdFailure(explanation: "APNs: \(error)")
        }
    }
}

extension ProviderKey {
    fileprivate init(_ settings: APNsSettings) throws(RangersdFailure) {
        let pem = try TextFile.read(settings.keyFile, for: .apnsKeyFile)
        do throws(ProviderKeyError) {
            try self.init(pem: pem, keyID: settings.keyID, teamID: settings.teamID)
        } catch {
            throw RangersdFailure(explanation: "RANGERS_APNS_KEY_FILE: \(settings.keyFile): \(error)")
        }
    }
}

extension TextFile {
    fileprivate static func read(_ path: String, for setting: Setting) throws(RangersdFailure) -> String {
        do throws(TextFileError) {
            return try read(path)
        } catch {
            throw RangersdFailure(explanation: "\(setting.rawValue): \(path) \(error.reason)")
        }
    }
}

extension PushEnvironment {
    /// Whose device tokens a client of that environment can push to.
    init(_ environment: APNsEnvironment) {
        self =
            switch environment {
            case .production: .production
            case .sandbox: .sandbox
            case .simulator: .simulator
            }
    }
}
