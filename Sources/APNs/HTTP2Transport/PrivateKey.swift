import COpenSSL

/// Owns one private key; for the server's identity, the provider token and those who check it.
@safe
package final class PrivateKey {
    private let pointer: OpaquePointer

    private init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// A new key pair on P-256.
    ///
    /// - Throws: when the system has no entropy or no memory.
    package static func generateP256() throws(TransportError) -> PrivateKey {
        guard let pointer = unsafe rangers_EVP_EC_gen_P256() else {
            throw .systemResource("No key could be made: \(OpenSSLError.takeAll())")
        }
        return unsafe PrivateKey(taking: pointer)
    }

    /// The key of a PEM text, which appears in no error.
    ///
    /// - Throws: when the text holds no private key, or an encrypted one.
    package init(pem text: String) throws(TransportError) {
        let buffer = PEMBuffer(text)
        // Without a callback OpenSSL would ask for a password on the terminal and wait.
        let pointer = unsafe buffer.withBIO { bio in
            unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let pointer = unsafe pointer else {
            throw .unusableCertificate("No private key could be read from the PEM text: \(OpenSSLError.takeAll())")
        }
        unsafe self.pointer = pointer
    }

    /// Calls the body with the `EVP_PKEY *`, which is not to leave it.
    package func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    /// The key as PEM (PKCS#8), not encrypted.
    package var pem: String {
        let buffer = PEMBuffer()
        let status = unsafe buffer.withBIO { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil)
        }
        precondition(status == 1, "a key in memory can be written to memory")
        return buffer.text
    }
}
