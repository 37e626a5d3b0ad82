public import APNsClient

/// Where pushes go and who sends them.
public struct APNsSettings: Hashable, Sendable {
    /// One APNs, with the key that it is to see.
    public struct Route: Hashable, Sendable {
        /// Which APNs.
        public let environment: APNsEnvironment
        /// The provider key.
        public let key: ProviderKeyFile
    }

    /// At least one; each environment once.
    public let routes: [Route]
    /// A host in place of the environment's own.
    public let host: String?
    /// A port in place of the environment's own.
    public let port: Int?
    /// A PEM file with the authority to trust in place of the system's; always given for a simulator.
    public let certificateAuthorityFile: String?
    /// The app that is pushed to.
    public let bundleID: String
}
