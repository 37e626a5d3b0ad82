/// The reason why an identity token is not accepted.
///
/// No case contains any part of the token.
public enum IdentityTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not a JSON Web Token with the fields that Apple documents, or it is too long.
    case malformed
    /// The token is not signed with RS256.
    case wrongAlgorithm
    /// Apple has no key with the identifier that the token names.
    case unknownKey
    /// The signature was not made with the key that the token names.
    case invalidSignature
    /// Another issuer has issued the token.
    case wrongIssuer
    /// The token was issued for another app.
    case wrongAudience
    /// The token has expired, or it is too old to sign in with it.
    case expired
    /// The token was issued in the future.
    case notYetValid
    /// The token was issued for another nonce.
    case wrongNonce

    /// The reason in one sentence, without a full stop.
    public var description: String {
        switch self {
        case .malformed: "It is not an identity token of Sign in with Apple"
        case .wrongAlgorithm: "It is not signed with RS256"
        case .unknownKey: "It is signed with a key that Apple does not publish"
        case .invalidSignature: "Its signature is invalid"
        case .wrongIssuer: "Its issuer is not https://appleid.apple.com"
        case .wrongAudience: "It was issued for another app"
        case .expired: "It has expired, or was issued more than 10 minutes ago"
        case .notYetValid: "It was issued in the future"
        case .wrongNonce: "Its nonce is not the SHA-256 of 'nonce' in hexadecimal"
        }
    }
}
