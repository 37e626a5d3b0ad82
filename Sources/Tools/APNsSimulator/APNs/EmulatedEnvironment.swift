/// The APNs environment that a simulator emulates.
public enum EmulatedEnvironment: String, CaseIterable, Sendable {
    /// For apps from TestFlight and the App Store.
    case production
    /// For apps that were built for development; responses carry an `apns-unique-id`.
    case sandbox
}
