import Cryptography
public import Encodings

/// A stand-in for Apple that signs identity tokens with an RSA key of its own.
public struct AppleIssuer: Sendable {
    /// The bytes of the modulus in the public half of a key of 2,048 bits in DER, after the headers of its elements.
    private static let modulus = 33..<289

    /// The identifier of the key.
    public let keyID: String
    private let pem: String
    private let modulus: [UInt8]

    /// Generates a key of 2,048 bits.
    public init(keyID: String) throws {
        let key = try PrivateKey.generateRSA()
        self.keyID = keyID
        pem = key.pem
        modulus = Array(key.publicKeyDER[Self.modulus])
    }

    /// Returns a token as Apple issues it.
    /// - Parameters:
    ///   - subject: the account.
    ///   - bundleID: the app.
    ///   - nonce: the text whose SHA-256 the token contains.
    ///   - now: the time at which the token is issued.
    /// - Returns: the token.
    /// - Throws: `PrivateKeyError` if libcrypto cannot read the key.
    public func token(
        for subject: String = "001234.0123456789abcdef0123456789abcdef.5678",
        bundleID: String = "com.example.rangers",
        nonce: String,
        at now: Timestamp
    ) throws -> String {
        let (issuedAt, expiresAt) = (now.epochSeconds, now.epochSeconds + 24 * 60 * 60)
        return try sign(
            header: #"{"kid":"\#(keyID)","alg":"RS256"}"#,
            claims: """
                {"iss":"https://appleid.apple.com","aud":"\(bundleID)","exp":\(expiresAt),"iat":\(issuedAt),\
                "sub":"\(subject)","nonce":"\(SHA256.hex(of: Array(nonce.utf8)))","nonce_supported":true}
                """
        )
    }

    /// Returns a token with any header and claims.
    public func sign(header: String, claims: String) throws -> String {
        let signed = "\(Array(header.utf8).base64URL).\(Array(claims.utf8).base64URL)"
        let signature = try PrivateKey(pem: pem).signature(for: Array(signed.utf8))
        return "\(signed).\(signature.base64URL)"
    }

    /// Returns the key set of some issuers, as JSON.
    public static func keySet(_ issuers: [AppleIssuer]) -> String {
        let keys = issuers.map { issuer in
            """
            {"kty":"RSA","kid":"\(issuer.keyID)","use":"sig","alg":"RS256","n":"\(issuer.modulus.base64URL)","e":"AQAB"}
            """
        }
        return #"{"keys":[\#(keys.joined(separator: ","))]}"#
    }
}
