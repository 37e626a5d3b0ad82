import Foundation

/// A JSON Web Token that authenticates this provider to APNs.
///
/// It has the four fields that Apple documents and nothing else: `alg` and `kid`, `iss` and `iat`.
struct ProviderToken: Hashable, Sendable {
    /// `iat`, in seconds since 1970.
    let issuedAt: Int64
    /// The value of the `authorization` header.
    let authorization: String

    /// Signs a new one.
    ///
    /// - Throws: `ProviderKeyError` when libcrypto cannot sign with the key.
    init(key: ProviderKey, issuedAt: Int64) throws(ProviderKeyError) {
        // The identifiers are letters and digits, so that nothing in them needs escaping.
        let header = #"{"alg":"ES256","kid":"\#(key.keyID)"}"#
        let claims = #"{"iss":"\#(key.teamID)","iat":\#(issuedAt)}"#
        let signed = "\(Self.base64URL(Array(header.utf8))).\(Self.base64URL(Array(claims.utf8)))"
        let signature = try key.sign(signed)
        self.issuedAt = issuedAt
        self.authorization = "bearer \(signed).\(Self.base64URL(signature))"
    }

    /// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-")
            .replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
