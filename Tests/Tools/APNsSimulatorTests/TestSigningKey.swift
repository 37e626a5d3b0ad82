import Cryptography
import Encodings

@testable import APNsSimulator

/// The provider key of a sender, which signs any header and claims.
struct TestSigningKey {
    private let key: P256PrivateKey

    init() throws {
        key = try P256PrivateKey.generate()
    }

    /// The key as in a .p8 file.
    var pem: String { key.pem }

    /// Returns a JSON Web Token in compact form, signed with ES256.
    func token(header: String, claims: String) throws -> String {
        let signed = "\(header.utf8.base64URL).\(claims.utf8.base64URL)"
        return "\(signed).\(try key.signature(for: Array(signed.utf8)).base64URL)"
    }

    /// Returns the `authorization` of a request.
    func authorization(keyID: String, teamID: String, at now: Timestamp) throws -> String {
        let claims = #"{"iss":"\#(teamID)","iat":\#(now.epochSeconds)}"#
        return "bearer " + (try token(header: #"{"alg":"ES256","kid":"\#(keyID)"}"#, claims: claims))
    }

    /// Returns the public key for the simulator's configuration.
    func senderKey(
        keyID: String = "ABCDE12345",
        teamID: String = "TEAM123456",
        environment: EmulatedEnvironment? = nil
    ) throws -> SenderKey {
        SenderKey(key: try key.publicKey(), keyID: keyID, teamID: teamID, environment: environment)
    }
}
