/// Which APNs a client speaks to.
///
/// Tokens and keys of one mean nothing to the other.
public enum APNsEnvironment: String, CaseIterable, Hashable, Sendable {
    /// For apps from TestFlight and the App Store.
    case production
    /// For apps that were built for development.
    case sandbox
    /// The stand-in of this project, on this machine unless the configuration says otherwise.
    case simulator

    /// The host to connect to (Apple, "Sending notification requests to APNs").
    public var host: String {
        switch self {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        case .simulator: "127.0.0.1"
        }
    }

    /// The port to connect to; 2197 is Apple's other one, and the simulator's own.
    public var port: Int {
        switch self {
        case .production, .sandbox: 443
        case .simulator: 2197
        }
    }

    /// The host that manages channels (Apple, "Sending channel management requests to APNs").
    public var channelHost: String {
        switch self {
        case .production: "api-manage-broadcast.push.apple.com"
        case .sandbox: "api-manage-broadcast.sandbox.push.apple.com"
        case .simulator: "127.0.0.1"
        }
    }

    /// The port of the host that manages channels; Apple's two really differ.
    public var channelPort: Int {
        switch self {
        case .production: 2196
        case .sandbox, .simulator: 2195
        }
    }
}
