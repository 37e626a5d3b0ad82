import COpenSSL

/// A private EC key on P-256, which makes ES256 signatures.
///
/// The key is stored as text, and each signature parses it again: provider tokens are signed only a few times an hour.
public struct P256PrivateKey: Hashable, Sendable {
    /// OpenSSL's name of P-256.
    private static let curve = "prime256v1"

    /// The key in PEM (PKCS#8), not encrypted; equal keys have equal texts.
    public let pem: String

    /// Reads an unencrypted key in PEM, for example the content of a `.p8` file; other text around it is ignored.
    ///
    /// - Throws: ``PrivateKeyError/unreadable(reason:)`` if the text contains no unencrypted private key, or
    ///   ``PrivateKeyError/notP256(found:)`` if the key is of another kind.
    public init(pem: String) throws(PrivateKeyError) {
        try self.init(PrivateKey(pem: pem))
    }

    /// Generates a new key.
    ///
    /// - Throws: ``PrivateKeyError/operationFailed(reason:)`` if libcrypto cannot generate a key.
    public static func generate() throws(PrivateKeyError) -> Self {
        try Self(PrivateKey.generateP256())
    }

    private init(_ key: PrivateKey) throws(PrivateKeyError) {
        guard key.kind == Self.curve else { throw .notP256(found: key.kind) }
        pem = key.pem
    }

    /// Signs a message with ES256 (RFC 7518, section 3.4).
    ///
    /// - Returns: r and s, 32 bytes each.
    /// - Throws: ``PrivateKeyError/operationFailed(reason:)`` if libcrypto cannot sign.
    public func signature(for message: [UInt8]) throws(PrivateKeyError) -> [UInt8] {
        guard let signature = Self.rawSignature(try PrivateKey(pem: pem).signature(for: message)) else {
            throw .operationFailed(reason: OpenSSLErrorQueue.drain())
        }
        return signature
    }

    /// Returns the public half of the key.
    ///
    /// - Throws: ``PrivateKeyError/operationFailed(reason:)`` if libcrypto cannot encode the key.
    public func publicKey() throws(PrivateKeyError) -> P256PublicKey {
        let der = try PrivateKey(pem: pem).publicKeyDER
        guard !der.isEmpty else { throw .operationFailed(reason: OpenSSLErrorQueue.drain()) }
        return P256PublicKey(der: der)
    }

    /// Returns r and s of a signature in DER, each padded with leading zeros to 32 bytes; nil if it is malformed.
    private static func rawSignature(_ der: [UInt8]) -> [UInt8]? {
        unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let signature = unsafe d2i_ECDSA_SIG(nil, &start, bytes.count) else { return nil }
            defer { unsafe ECDSA_SIG_free(signature) }
            var raw = [UInt8](repeating: 0, count: 64)
            let isComplete = unsafe raw.withUnsafeMutableBufferPointer { raw in
                guard let target = raw.baseAddress else { return false }
                return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), target, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), target + 32, 32) == 32
            }
            return isComplete ? raw : nil
        }
    }
}

extension P256PrivateKey: CustomStringConvertible, CustomReflectable {
    /// A text without any part of the key.
    public var description: String { "P256PrivateKey(redacted)" }

    /// A mirror without any part of the key, for dumps.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
