import COpenSSL

/// A public key of any kind in DER (RFC 5280, section 4.1), which verifies signatures with SHA-256.
struct SubjectPublicKeyInfo: Hashable, Sendable {
    let der: [UInt8]

    /// Returns whether a signature of a message was made with the private half of the key.
    /// - Parameters:
    ///   - signature: the signature, as libcrypto expects it: in DER for an EC key, as bytes for an RSA key.
    ///   - message: the signed bytes.
    /// - Returns: whether the signature is valid; false for an unreadable key.
    func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        // A wrong signature leaves an entry in the thread's error queue.
        defer { OpenSSLErrorQueue.drain() }
        return unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let key = unsafe d2i_PUBKEY(nil, &start, bytes.count) else { return false }
            defer { unsafe EVP_PKEY_free(key) }
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
    }
}
