public import APNsClient

/// Where pushes go and who sends them.
public struct APNsSettings: Hashable, Sendable {
    /// Which APNs.
    public let environment: APNsEnvironment
    /// A host in place of the environment's own.
    public let host: String?
    /// A port in place of the environment's own.
    public let port: Int?
    /// A PEM file with the authority to trust in place of the system's; always given for a simulator.
    public let certificateAuthorityFile: String?
    /// The provider key, a .p8 file from Apple.
    public let keyFile: String
    /// The identifier of the key, 10 characters.
    public let keyID: String
    /// The identifier of the developer team, 10 characters.
    public let teamID: String
    /// The app that is pushed to.
    public let bundleID: String
}
