/// The APNs environment that a push token belongs to.
public enum PushEnvironment: String, Codable, Hashable, Sendable, CaseIterable {
    /// `api.push.apple.com`: builds from TestFlight and the App Store.
    case production
    /// `api.sandbox.push.apple.com`: builds signed for development.
    case sandbox
    /// `apns-simulator`, which replaces both in development and tests.
    case simulator
}
