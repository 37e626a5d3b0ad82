public import Foundation
import NIOSSL

/// What the server shows of itself over TLS: a chain of certificates, and the key of the first.
public struct ServerIdentity: Sendable {
    /// When the certificate ends to be valid.
    public let expiresAt: Date
    let context: NIOSSLContext

    /// Reads certificate and key.
    /// - Parameters:
    ///   - certificates: PEM, the server's own certificate first and then those that lead from it to an authority.
    ///   - key: PEM, without a passphrase.
    /// - Throws: ``ServerIdentityError``.
    public init(certificates: String, key: String) throws(ServerIdentityError) {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(Array(certificates.utf8))
        } catch {
            throw .noCertificate
        }
        guard let first = chain.first else { throw .noCertificate }
        let privateKey: NIOSSLPrivateKey
        do {
            privateKey = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        } catch {
            throw .noKey
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(privateKey)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .mismatch
        }
        expiresAt = Date(timeIntervalSince1970: TimeInterval(first.notValidAfter))
    }
}

/// Why files give no identity; says nothing of the key.
public enum ServerIdentityError: Error, Hashable, Sendable {
    /// There is no certificate in PEM.
    case noCertificate
    /// There is no private key in PEM, or it wants a passphrase.
    case noKey
    /// The key is not that of the first certificate.
    case mismatch
}
