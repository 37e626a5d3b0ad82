import COpenSSL
import Cryptography

/// An X.509 certificate.
@safe
final class Certificate {
    private let pointer: OpaquePointer

    init(available pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe X509_free(pointer)
    }

    /// Calls a closure with the `X509 *`, which must not escape it.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    /// Returns the certificates of a PEM text, in order; other blocks, such as keys, are ignored.
    static func all(inPEM text: String) throws(TransportError) -> [Certificate] {
        let buffer = PEMBuffer(text)
        var certificates: [Certificate] = []
        while let pointer = unsafe buffer.withBIO({ unsafe PEM_read_bio_X509($0, nil, nil, nil) }) {
            unsafe certificates.append(Certificate(available: pointer))
        }
        // At the end of the text the loop ends with an error, too ("no start line").
        let reason = OpenSSLErrorQueue.drain()
        guard !certificates.isEmpty else {
            throw .unusableCertificate("No certificate could be read from the PEM text: \(reason)")
        }
        return certificates
    }

    /// The certificate in PEM.
    var pem: String {
        let buffer = PEMBuffer()
        let status = unsafe buffer.withBIO { unsafe PEM_write_bio_X509($0, pointer) }
        precondition(status == 1, "a certificate in memory can be written to memory")
        return buffer.text
    }
}
