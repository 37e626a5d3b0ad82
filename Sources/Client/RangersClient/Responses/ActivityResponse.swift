public import Foundation
public import GameCore

/// A Live Activity that is registered with the server.
public struct ActivityResponse: Decodable, Hashable, Sendable {
    /// The state of an activity: whether the server pushes to it.
    public enum State: String, Sendable {
        /// The server pushes to the activity.
        case live
        /// The server has sent the activity's end.
        case ended
        /// The phone has reported that the activity is over.
        case released
        /// APNs has reported that the activity's push token is no longer valid.
        case dead
    }

    /// The identifier that the app chose.
    public let activityID: ActivityID
    /// The adventure that the activity shows.
    public let adventureID: AdventureID
    /// The device that shows the activity.
    public let deviceID: DeviceID
    /// Whether the server pushes to the activity.
    public let state: OpenEnum<State>
    /// The APNs environment of the push token.
    public let environment: OpenEnum<PushEnvironment>
    /// Whether frequent pushes were enabled when the activity was registered; fixed for the activity's life.
    public let frequentPushesEnabled: Bool
    /// The phone's language, for support only; the phone localizes alerts itself.
    public let locale: String?
    /// The number of push tokens so far, from 1.
    public let generation: Int
    /// The time of the activity's registration.
    public let registeredAt: Date
    /// When a scheduled activity starts or started; nil for one that started when it was registered.
    public let startsAt: Date?
    /// Whether a running node of the server sends to the environment; without one, no pushes are sent.
    public let routable: Bool
}

/// A device that is registered with the server.
public struct DeviceResponse: Decodable, Hashable, Sendable {
    /// The identifier that the app chose.
    public let deviceID: DeviceID
    /// The APNs environment of the tokens.
    public let environment: OpenEnum<PushEnvironment>
    /// The device's language, for support only.
    public let locale: String?
    /// The version of the app, for support only.
    public let appBuild: String?
    /// Whether the device shows Live Activities.
    public let liveActivitiesEnabled: Bool
    /// Whether frequent pushes were enabled when the device was registered last.
    public let frequentPushesEnabled: Bool
    /// Whether the server starts activities of raids on the device; nil from a server that starts none.
    public let followsRaids: Bool?
    /// Whether the server has a push-to-start token: it loses one that APNs rejects, or that another device registers.
    public let hasPushToStartToken: Bool
    /// Whether the server has a token for alerts.
    public let hasAlertToken: Bool
    /// Whether the server has a token of the widgets; nil from a server that does not push to widgets.
    public let hasWidgetToken: Bool?
    /// Which alerts ring on the device; nil from a server that does not know such preferences.
    public let alerts: AlertPreferences?
    /// Whether the server knows the time zone of the quiet hours, which otherwise silence nothing; true without quiet
    /// hours, and nil from a server that refuses unknown time zones.
    public let timeZoneKnown: Bool?
    /// The time of the device's first registration.
    public let registeredAt: Date
    /// The time of the device's last registration.
    public let updatedAt: Date
    /// Whether a running node of the server sends to the environment; without one, no pushes are sent.
    public let routable: Bool
}

/// The response to a report of the Live Activities that run on the phone.
public struct SyncResponse: Decodable, Hashable, Sendable {
    /// The activities that the server has released.
    public let released: [ActivityID]
    /// The reported activities that are not live on the server: they get no pushes until they are registered.
    public let unknown: [ActivityID]
    /// The device's activities that the server pushes to.
    public let live: [ActivityID]
}
