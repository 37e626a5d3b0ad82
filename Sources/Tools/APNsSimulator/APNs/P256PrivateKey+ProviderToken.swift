public import Cryptography
public import Encodings

extension P256PrivateKey {
    /// Makes a provider token, to send pushes by hand.
    /// - Parameters:
    ///   - keyID: the `kid`; letters and digits.
    ///   - teamID: the `iss`; letters and digits.
    ///   - now: the `iat`.
    /// - Returns: the JSON Web Token in compact form.
    /// - Throws: `PrivateKeyError.operationFailed`.
    public func providerToken(keyID: String, teamID: String, at now: Timestamp) throws(PrivateKeyError) -> String {
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(now.epochSeconds)}"#
        let signed = "\(header.utf8.base64URL).\(claims.utf8.base64URL)"
        return "\(signed).\(try signature(for: Array(signed.utf8)).base64URL)"
    }
}
