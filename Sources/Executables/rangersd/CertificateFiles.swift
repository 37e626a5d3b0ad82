import Foundation
import PartyAPI
import RangersSettings

/// The texts of certificate and key as they were read together.
struct CertificateFiles: Equatable {
    let certificate: String
    let key: String

    /// Reads both.
    init(_ files: ServingSettings.TLSFiles) throws(CertificateError) {
        certificate = try Self.read(files.certificate, .tlsCertificateFile)
        key = try Self.read(files.key, .tlsKeyFile)
    }

    /// What clients can be shown.
    /// - Parameter files: for the reasons only.
    /// - Returns: the identity of both.
    /// - Throws: ``CertificateError`` when they are none.
    func identity(in files: ServingSettings.TLSFiles) throws(CertificateError) -> ServerIdentity {
        do throws(ServerIdentityError) {
            return try ServerIdentity(certificates: certificate, key: key)
        } catch {
            throw switch error {
            case .noCertificate:
                CertificateError(.tlsCertificateFile, "\(files.certificate) holds no certificate in PEM")
            case .noKey:
                CertificateError(.tlsKeyFile, "\(files.key) holds no private key in PEM, or one with a passphrase")
            case .mismatch:
                CertificateError(
                    .tlsKeyFile,
                    "\(files.key) is not the key of the first certificate in \(files.certificate)"
                )
            }
        }
    }

    private static func read(_ path: String, _ setting: Setting) throws(CertificateError) -> String {
        do throws(TextFileError) {
            return try TextFile.read(path)
        } catch {
            throw CertificateError(setting, "\(path) \(error.reason)")
        }
    }
}

/// Why there is no certificate to show.
struct CertificateError: Error, Hashable, CustomStringConvertible {
    /// The setting, the path and what is wrong; never anything of the key.
    let description: String

    init(_ setting: Setting, _ reason: String) {
        description = "\(setting.rawValue): \(reason)"
    }
}
