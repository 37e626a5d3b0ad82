import Encodings
import Foundation

extension ProviderKey {
    /// A provider token as senders make it, for trying things out by hand.
    /// - Parameters:
    ///   - keyID: its `kid`; letters and digits.
    ///   - teamID: its `iss`; letters and digits.
    ///   - now: its `iat`.
    /// - Returns: the JSON Web Token in compact form.
    /// - Throws: ``ProviderKeyError/libcrypto(_:)``.
    public func token(keyID: String, teamID: String, at now: Moment) throws(ProviderKeyError) -> String {
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(now.epochSeconds)}"#
        let signed = "\(Self.base64URL(Array(header.utf8))).\(Self.base64URL(Array(claims.utf8)))"
        return "\(signed).\(Self.base64URL(try signature(of: Array(signed.utf8))))"
    }

    /// RFC 7515, section 2.
    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
