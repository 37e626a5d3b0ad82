/// A token of the app on one phone; activities have tokens of their own.
struct AppToken: Hashable, Sendable {
    /// The purpose of a token; the raw values are the last parts of paths in the API.
    enum Kind: String, CaseIterable, Sendable {
        /// Starts activities.
        case pushToStart = "push-to-start-token"
        /// Receives ordinary notifications: the token of `didRegisterForRemoteNotificationsWithDeviceToken`.
        case device = "device-token"
        /// Reloads widgets: the token of WidgetKit's push handler.
        case widgets = "widget-token"

        /// The push type that the token is for.
        var pushType: PushType {
            switch self {
            case .pushToStart: .liveActivity
            case .device: .alert
            case .widgets: .widgets
            }
        }
    }

    /// The index of the phone on the wall.
    let phoneIndex: Int
    let kind: Kind
}
