/// An APNs environment.
///
/// Device tokens, and some keys, are valid in one environment only.
public enum APNsEnvironment: String, CaseIterable, Hashable, Sendable {
    /// The environment of apps from TestFlight and the App Store.
    case production
    /// The environment of development builds.
    case sandbox
    /// This project's simulator of APNs, on this machine unless the configuration names another host.
    case simulator

    /// The host for pushes (Apple, "Sending notification requests to APNs").
    public var host: String {
        switch self {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        case .simulator: "127.0.0.1"
        }
    }

    /// The port for pushes; 2197 is Apple's alternative, and the simulator's port.
    public var port: Int {
        switch self {
        case .production, .sandbox: 443
        case .simulator: 2197
        }
    }

    /// The host for channel management (Apple, "Sending channel management requests to APNs").
    public var channelHost: String {
        switch self {
        case .production: "api-manage-broadcast.push.apple.com"
        case .sandbox: "api-manage-broadcast.sandbox.push.apple.com"
        case .simulator: "127.0.0.1"
        }
    }

    /// The port for channel management, which differs between Apple's environments.
    public var channelPort: Int {
        switch self {
        case .production: 2196
        case .sandbox, .simulator: 2195
        }
    }
}
