import Encodings

/// A JSON Web Token that authenticates this provider to APNs.
///
/// It has the four fields that Apple documents and no others: `alg` and `kid`, `iss` and `iat`.
package struct ProviderToken: Hashable, Sendable {
    /// `iat`, in seconds since 1970.
    let issuedAt: Int64
    /// The value of the `authorization` header.
    package let authorization: String

    /// Signs a new token.
    ///
    /// - Throws: `ProviderKeyError.signingFailed` if libcrypto cannot sign.
    package init(key: ProviderKey, issuedAt: Int64) throws(ProviderKeyError) {
        // The identifiers are letters and digits and need no escaping.
        let header = #"{"alg":"ES256","kid":"\#(key.keyID)"}"#
        let claims = #"{"iss":"\#(key.teamID)","iat":\#(issuedAt)}"#
        let signed = "\(header.utf8.base64URL).\(claims.utf8.base64URL)"
        let signature = try key.sign(signed)
        self.issuedAt = issuedAt
        self.authorization = "bearer \(signed).\(signature.base64URL)"
    }
}
