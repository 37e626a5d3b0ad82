/// Where pushes go and who sends them.
public struct APNsSettings: Hashable, Sendable {
    /// Which APNs.
    public enum Environment: String, CaseIterable, Sendable {
        /// Apple's, for apps from the App Store and TestFlight.
        case production
        /// Apple's, for apps run from Xcode.
        case sandbox
        /// A simulator of ours, somewhere.
        case simulator
    }

    /// Which APNs.
    public let environment: Environment
    /// A host in place of the environment's own.
    public let host: String?
    /// A port in place of the environment's own; a simulator has none, so it is always given.
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
