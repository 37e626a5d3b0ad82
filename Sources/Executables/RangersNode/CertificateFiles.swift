import Foundation
import HTTPServing
import NodeSettings
import RangersSettings

/// The contents of the certificate file and the key file.
struct CertificateFiles: Equatable {
    let certificate: String
    let key: String

    /// Reads both files.
    init(_ files: ServingSettings.TLSFiles) throws(CertificateError) {
        certificate = try Self.read(files.certificate, .tlsCertificateFile)
        key = try Self.read(files.key, .tlsKeyFile)
    }

    /// Parses certificate and key.
    /// - Parameter files: the paths, for errors only.
    /// - Returns: the TLS identity.
    /// - Throws: ``CertificateError`` if one of them is invalid or they do not match.
    func identity(in files: ServingSettings.TLSFiles) throws(CertificateError) -> ServerIdentity {
        do throws(ServerIdentityError) {
            return try ServerIdentity(certificates: certificate, key: key)
        } catch {
            throw switch error {
            case .noCertificate:
                CertificateError(.tlsCertificateFile, "\(files.certificate) contains no certificate in PEM format")
            case .noKey:
                CertificateError(
                    .tlsKeyFile,
                    "\(files.key) contains no private key in PEM format, or one with a passphrase"
                )
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

/// An error of the TLS certificate or its key.
struct CertificateError: Error, Hashable, CustomStringConvertible {
    /// The setting, the path and the reason; never any part of the key.
    let description: String

    init(_ setting: Setting, _ reason: String) {
        description = "\(setting.rawValue): \(reason)"
    }
}
