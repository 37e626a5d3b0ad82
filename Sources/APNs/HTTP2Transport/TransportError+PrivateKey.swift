import Cryptography

extension TransportError {
    /// Creates the error for a private key that cannot be generated or read.
    init(_ error: PrivateKeyError) {
        switch error {
        case .operationFailed: self = .systemResource(error.description)
        case .unreadable, .notP256: self = .unusableCertificate(error.description)
        }
    }
}

extension PrivateKey {
    /// Generates a key pair on P-256 for a certificate.
    static func generateForCertificate() throws(TransportError) -> PrivateKey {
        do throws(PrivateKeyError) { return try generateP256() } catch { throw TransportError(error) }
    }

    /// Reads the key of a certificate.
    static func forCertificate(pem: String) throws(TransportError) -> PrivateKey {
        do throws(PrivateKeyError) { return try PrivateKey(pem: pem) } catch { throw TransportError(error) }
    }
}
