public import APNsClient

/// The APNs environments that pushes are sent to, and the identity of the sender.
public struct APNsSettings: Hashable, Sendable {
    /// An APNs environment and the provider key for it.
    public struct EnvironmentKey: Hashable, Sendable {
        /// The APNs environment.
        public let environment: APNsEnvironment
        /// The file with the provider key.
        public let key: ProviderKeyFile
    }

    /// The environments with their keys, at least one, each environment at most once.
    public let environmentKeys: [EnvironmentKey]
    /// The host to use instead of the environment's; nil for the environment's.
    public let host: String?
    /// The port to use instead of the environment's; nil for the environment's.
    public let port: Int?
    /// The port for the management of broadcast channels to use instead of the environment's; nil for the environment's.
    public let channelsPort: Int?
    /// A PEM file with the certificate authority to trust in place of the system's; always set for a simulator.
    public let certificateAuthorityFile: String?
    /// The bundle identifier of the app that receives the pushes.
    public let bundleID: String
}
