public import Cryptography

/// A provider key that the simulator accepts, as Apple accepts the keys that it issues to developers.
public struct SenderKey: Sendable {
    /// The key that verifies the signatures of provider tokens.
    public let key: P256PublicKey
    /// The identifier of the key: the `kid` of provider tokens.
    public let keyID: String
    /// The identifier of the team: the `iss` of provider tokens.
    public let teamID: String
    /// The only environment of the key; nil for both, as for older keys.
    public let environment: EmulatedEnvironment?

    /// Creates a key of a team.
    public init(key: P256PublicKey, keyID: String, teamID: String, environment: EmulatedEnvironment? = nil) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
    }
}
