import Cryptography
import Encodings
import Foundation

/// An identity token of Sign in with Apple: a JSON Web Token (RFC 7519) that is not verified yet.
struct IdentityToken: Sendable {
    /// The issuer of every token.
    static let issuer = "https://appleid.apple.com"
    /// The maximum length; Apple's tokens have fewer than 1,000 bytes.
    static let maxBytes = 4096
    /// The maximum time since the token was issued.
    ///
    /// Apple's tokens are valid for a day, but an app sends its token at once: a stolen one is of use for minutes.
    static let maxAge = Duration.seconds(10 * 60)
    /// The maximum difference of Apple's clock and the node's.
    static let clockTolerance = Duration.seconds(60)

    private struct Header: Decodable {
        let alg: String
        let kid: String
        /// Extensions that a verifier must understand (RFC 7515, section 4.1.11): this one understands none.
        let crit: [String]?
    }

    private struct Claims: Decodable {
        let iss: String
        let aud: String
        let exp: Int64
        let iat: Int64
        let nonce: String
        let sub: String
    }

    /// The identifier of the key that the token claims to be signed with.
    let keyID: String
    /// Header and claims as they were signed.
    private let signed: [UInt8]
    private let claims: [UInt8]
    private let signature: [UInt8]

    /// Reads the header of a token.
    /// - Throws: ``IdentityTokenError/malformed``, ``IdentityTokenError/wrongAlgorithm``.
    init(_ text: String) throws(IdentityTokenError) {
        guard text.utf8.count <= Self.maxBytes else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count == 3,
            let header = [UInt8](base64URL: parts[0]),
            let claims = [UInt8](base64URL: parts[1]),
            let signature = [UInt8](base64URL: parts[2]),
            let fields = try? JSONDecoder().decode(Header.self, from: Data(header)),
            fields.crit == nil
        else { throw .malformed }
        guard fields.alg == "RS256" else { throw .wrongAlgorithm }
        keyID = fields.kid
        signed = Array("\(parts[0]).\(parts[1])".utf8)
        self.claims = claims
        self.signature = signature
    }

    /// Verifies the token.
    /// - Parameters:
    ///   - key: Apple's key with the identifier ``keyID``.
    ///   - bundleIDs: the apps for which the token may have been issued.
    ///   - nonce: the text that the app has chosen for this sign-in, and whose SHA-256 in hexadecimal it gave to Apple.
    ///   - now: the time.
    /// - Returns: the account that the token is for.
    /// - Throws: the first reason to reject the token.
    func verify(
        with key: RSAPublicKey,
        for bundleIDs: Set<String>,
        nonce: String,
        at now: Timestamp
    ) throws(IdentityTokenError) -> AppleAccount {
        guard key.isValidSignature(signature, for: signed) else { throw .invalidSignature }
        guard let claims = try? JSONDecoder().decode(Claims.self, from: Data(self.claims)) else { throw .malformed }
        guard claims.iss == Self.issuer else { throw .wrongIssuer }
        guard bundleIDs.contains(claims.aud) else { throw .wrongAudience }
        // In whole seconds, whose sums cannot overflow after the comparisons with the time.
        let (time, tolerance) = (now.epochSeconds, Self.clockTolerance.components.seconds)
        guard claims.exp > time - tolerance, claims.iat > time - tolerance - Self.maxAge.components.seconds else {
            throw .expired
        }
        guard claims.iat <= time + tolerance else { throw .notYetValid }
        guard !nonce.isEmpty, claims.nonce == SHA256.hex(of: Array(nonce.utf8)) else { throw .wrongNonce }
        guard !claims.sub.isEmpty else { throw .malformed }
        return AppleAccount(
            hash: SHA256.digest(of: "\(claims.iss)\n\(claims.sub)"),
            tokenIssuedAt: Timestamp(epochSeconds: claims.iat)
        )
    }
}
