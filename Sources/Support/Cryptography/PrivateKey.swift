import COpenSSL

/// A private key of any kind, as an `EVP_PKEY *`.
@safe
package final class PrivateKey {
    private let pointer: OpaquePointer

    private init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Generates an EC key pair on P-256.
    package static func generateP256() throws(PrivateKeyError) -> PrivateKey {
        guard let pointer = unsafe rangers_EVP_EC_gen_P256() else {
            throw .operationFailed(reason: OpenSSLErrorQueue.drain())
        }
        return unsafe PrivateKey(taking: pointer)
    }

    /// Generates an RSA key pair of 2,048 bits, for stand-ins of Apple in tests.
    package static func generateRSA() throws(PrivateKeyError) -> PrivateKey {
        guard let pointer = unsafe rangers_EVP_RSA_gen_2048() else {
            throw .operationFailed(reason: OpenSSLErrorQueue.drain())
        }
        return unsafe PrivateKey(taking: pointer)
    }

    /// Reads an unencrypted key in PEM; other text around it is ignored.
    package init(pem text: String) throws(PrivateKeyError) {
        let buffer = PEMBuffer(text)
        // Without a callback OpenSSL would ask for a password on the terminal and wait.
        let pointer = unsafe buffer.withBIO { bio in
            unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let pointer = unsafe pointer else { throw .unreadable(reason: OpenSSLErrorQueue.drain()) }
        unsafe self.pointer = pointer
    }

    /// Calls a closure with the `EVP_PKEY *`, which must not escape it.
    package func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(pointer)
    }

    /// Returns the signature of a message with SHA-256; empty on failure.
    /// - Parameter message: the bytes to sign.
    /// - Returns: for an EC key the signature in DER, for an RSA key that of PKCS #1 v1.5.
    package func signature(for message: [UInt8]) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { return [] }
        defer { unsafe EVP_MD_CTX_free(context) }
        var count = unsafe Int(EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { return [] }
        return Array(signature.prefix(count))
    }

    /// The `SubjectPublicKeyInfo` of the public half in DER; empty on failure.
    package var publicKeyDER: [UInt8] {
        let count = unsafe i2d_PUBKEY(pointer, nil)
        var der = [UInt8](repeating: 0, count: max(0, Int(count)))
        let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe i2d_PUBKEY(pointer, &start)
        }
        return written > 0 ? der : []
    }

    /// The unencrypted key as PEM (PKCS#8).
    package var pem: String {
        let buffer = PEMBuffer()
        let status = unsafe buffer.withBIO { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil)
        }
        precondition(status == 1, "a key in memory can be written to memory")
        return buffer.text
    }

    /// The name of an EC key's curve, or of another key's type.
    var kind: String {
        var name = [CChar](repeating: 0, count: 80)
        var count = 0
        if unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 {
            return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        OpenSSLErrorQueue.drain()
        guard let type = unsafe EVP_PKEY_get0_type_name(pointer) else { return "unknown" }
        return unsafe String(cString: type)
    }
}
