/// Which of Apple's two environments a simulator stands in for.
public enum PushEnvironment: String, CaseIterable, Sendable {
    /// For apps from TestFlight and the App Store.
    case production
    /// For apps that were built for development; its answers carry an `apns-unique-id`.
    case sandbox
}
