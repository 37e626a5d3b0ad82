/// A public EC key on P-256, which verifies ES256 signatures.
public struct P256PublicKey: Hashable, Sendable {
    private let key: SubjectPublicKeyInfo

    init(der: [UInt8]) {
        key = SubjectPublicKeyInfo(der: der)
    }

    /// Returns whether a signature of a message was made with the private half of the key.
    ///
    /// - Parameters:
    ///   - signature: r and s, 32 bytes each (ES256; RFC 7518, section 3.4).
    ///   - message: the signed bytes.
    /// - Returns: whether the signature is valid; false for a signature of another length.
    public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let signature = Self.der(ofSignature: signature) else { return false }
        return key.isValidSignature(signature, for: message)
    }

    /// Returns a signature in DER, which libcrypto reads; nil if it does not have 64 bytes or if r or s is 0.
    ///
    /// The result is `SEQUENCE { INTEGER r, INTEGER s }`. The integers have no leading zero bytes, except one if the
    /// first bit is set, since INTEGER is signed. The result has at most 72 bytes, so each length fits into one byte.
    private static func der(ofSignature signature: [UInt8]) -> [UInt8]? {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            var digits = Array(bytes.drop { $0 == 0 })
            guard let first = digits.first else { return nil }
            if first >= 0x80 { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        guard signature.count == 64, let r = integer(signature[..<32]), let s = integer(signature[32...]) else {
            return nil
        }
        return [0x30, UInt8(r.count + s.count)] + r + s
    }
}
