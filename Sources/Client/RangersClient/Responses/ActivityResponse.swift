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
    /// Whether a running node of the server sends to the environment; without one, no pushes are sent.
    public let routable: Bool
}

/// A push-to-start token that is stored on the server.
public struct PushToStartResponse: Decodable, Hashable, Sendable {
    /// The APNs environment of the token.
    public let environment: OpenEnum<PushEnvironment>
    /// Whether frequent pushes were enabled when the token was stored.
    public let frequentPushesEnabled: Bool
    /// Whether a running node of the server sends to the environment; without one, no activities are started.
    public let routable: Bool
}

/// The response to a report of the Live Activities that run on the phone.
public struct SyncResponse: Decodable, Hashable, Sendable {
    private enum CodingKeys: CodingKey {
        case released
        case unknown
    }

    /// The activities that the server has released.
    public let released: [ActivityID]
    /// The reported activities that are not live on the server: they get no pushes until they are registered.
    public let unknown: [ActivityID]

    /// Decodes the response; older servers do not list the unknown activities.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        released = try container.decode([ActivityID].self, forKey: .released)
        unknown = try container.decodeIfPresent([ActivityID].self, forKey: .unknown) ?? []
    }
}
