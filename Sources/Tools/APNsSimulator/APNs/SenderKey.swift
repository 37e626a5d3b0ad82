/// A provider key that a simulator knows, as Apple knows those that it has given to developers.
public struct SenderKey: Sendable {
    /// What provider tokens are signed with.
    public let key: ProviderKey
    /// Its name: the `kid` of provider tokens.
    public let keyID: String
    /// Whose it is: the `iss` of provider tokens.
    public let teamID: String
    /// The only environment that it is good for; nil for both, as older keys are.
    public let environment: PushEnvironment?

    /// The key with that name, of that team.
    public init(key: ProviderKey, keyID: String, teamID: String, environment: PushEnvironment? = nil) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
    }
}
