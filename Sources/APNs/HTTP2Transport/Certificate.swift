import COpenSSL
import Cryptography

/// Owns one X.509 certificate.
@safe
final class Certificate {
    private let pointer: OpaquePointer

    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe X509_free(pointer)
    }

    /// Calls the body with the `X509 *`, which is not to leave it.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    /// The certificates of a PEM text, in their order; other blocks, such as keys, are not looked at.
    static func all(inPEM text: String) throws(TransportError) -> [Certificate] {
        let buffer = PEMBuffer(text)
        var certificates: [Certificate] = []
        while let pointer = unsafe buffer.withBIO({ unsafe PEM_read_bio_X509($0, nil, nil, nil) }) {
            unsafe certificates.append(Certificate(taking: pointer))
        }
        // The end of the text ends the loop with an error too ("no start line"), so it tells nothing.
        let reason = OpenSSLErrorQueue.drain()
        guard !certificates.isEmpty else {
            throw .unusableCertificate("No certificate could be read from the PEM text: \(reason)")
        }
        return certificates
    }

    /// The certificate as PEM.
    var pem: String {
        let buffer = PEMBuffer()
        let status = unsafe buffer.withBIO { unsafe PEM_write_bio_X509($0, pointer) }
        precondition(status == 1, "a certificate in memory can be written to memory")
        return buffer.text
    }
}
