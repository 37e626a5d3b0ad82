public import Foundation
import NIOSSL

/// A TLS server identity: a certificate chain and the private key of its first certificate.
public struct ServerIdentity: Sendable {
    /// The expiration time of the first certificate.
    public let expiresAt: Date
    let context: NIOSSLContext

    /// Parses a certificate chain and its private key.
    /// - Parameters:
    ///   - certificates: the chain in PEM: the server's own certificate, then the intermediate certificates.
    ///   - key: the private key in PEM, without a passphrase.
    /// - Throws: ``ServerIdentityError`` if either cannot be parsed, or if they do not belong together.
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

/// An error for a certificate and a key that do not form an identity.
///
/// It never contains any part of the key.
public enum ServerIdentityError: Error, Hashable, Sendable {
    /// The text contains no certificate in PEM.
    case noCertificate
    /// The text contains no private key in PEM, or the key needs a passphrase.
    case noKey
    /// The key does not belong to the first certificate.
    case mismatch
}
