/// The push types of the app's pushes: the values of `apns-push-type`, each with its own topic.
enum PushType: String, Codable, CaseIterable, Sendable {
    /// Starts, updates or ends a Live Activity.
    case liveActivity = "liveactivity"
    /// Shows an ordinary notification.
    case alert
    /// Reloads the app's widgets.
    case widgets

    /// The suffix of the topic after the bundle identifier.
    var topicSuffix: String {
        switch self {
        case .liveActivity: ".push-type.liveactivity"
        case .alert: ""
        case .widgets: ".push-type.widgets"
        }
    }

    /// The priorities that APNs accepts.
    ///
    /// Apple names 1 for ordinary pushes only; a widget push is not urgent, so it must have 5.
    var priorities: Set<ReceivedPush.Priority> {
        switch self {
        case .liveActivity: [.low, .high]
        case .alert: [.lowest, .low, .high]
        case .widgets: [.low]
        }
    }
}
