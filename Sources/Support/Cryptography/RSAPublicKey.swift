/// A public RSA key, which verifies RS256 signatures (RFC 7518, section 3.3).
public struct RSAPublicKey: Hashable, Sendable {
    /// The lengths of the modulus: 2,048 bits, which RS256 requires, to 4,096 bits, beyond which verification gets slow.
    private static let modulusBytes = 256...512

    private let key: SubjectPublicKeyInfo

    /// Creates a key from its numbers; nil for numbers outside the limits.
    ///
    /// The numbers are big-endian; leading zero bytes are ignored.
    /// - Parameters:
    ///   - modulus: an odd number of 2,048 to 4,096 bits.
    ///   - exponent: an odd number above 1, of 32 bits at most.
    public init?(modulus: [UInt8], exponent: [UInt8]) {
        let (modulus, exponent) = (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
        guard let first = modulus.first, let last = modulus.last, let lastOfExponent = exponent.last else { return nil }
        let isLongEnough = modulus.count > Self.modulusBytes.lowerBound || first >= 0x80
        guard
            Self.modulusBytes.contains(modulus.count), isLongEnough, last & 1 == 1,
            exponent.count <= 4, lastOfExponent & 1 == 1, exponent != [1]
        else { return nil }
        // SEQUENCE { SEQUENCE { rsaEncryption, NULL }, BIT STRING { SEQUENCE { modulus, exponent } } } (RFC 8017, A.1)
        let numbers = Self.element(0x30, Self.integer(modulus) + Self.integer(exponent))
        let algorithm = Self.element(0x30, Self.rsaEncryption + Self.element(0x05, []))
        key = SubjectPublicKeyInfo(der: Self.element(0x30, algorithm + Self.element(0x03, [0] + numbers)))
    }

    /// Returns whether a signature of a message was made with the private half of the key.
    ///
    /// - Parameters:
    ///   - signature: the signature, as long as the modulus.
    ///   - message: the signed bytes.
    /// - Returns: whether the signature is valid; false for a signature of another length.
    public func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        key.isValidSignature(signature, for: message)
    }

    /// The object identifier 1.2.840.113549.1.1.1 in DER.
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01,
    ]

    /// Returns a positive number in DER, which is signed: a first bit that is set needs a zero byte before it.
    private static func integer(_ digits: [UInt8]) -> [UInt8] {
        element(0x02, (digits[0] >= 0x80 ? [0] : []) + digits)
    }

    /// Returns an element in DER: tag, length and at most 65,535 bytes of content.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let (high, low) = (UInt8(content.count >> 8), UInt8(content.count & 0xff))
        let length =
            switch content.count {
            case ..<0x80: [low]
            case ..<0x100: [0x81, low]
            default: [0x82, high, low]
            }
        return [tag] + length + content
    }
}
