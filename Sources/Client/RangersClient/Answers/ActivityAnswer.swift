public import Foundation
public import GameCore

/// A Live Activity that the server knows.
public struct ActivityAnswer: Decodable, Hashable, Sendable {
    /// Whether an activity is pushed to.
    public enum State: String, Sendable {
        /// It is.
        case live
        /// It has been sent its end.
        case ended
        /// The phone has said that it is over.
        case released
        /// APNs does not know its token any more.
        case dead
    }

    /// As the app named it.
    public let activityID: ActivityID
    /// What it shows.
    public let adventureID: AdventureID
    /// Whether it is pushed to.
    public let state: Word<State>
    /// Where its pushes go.
    public let environment: Word<PushEnvironment>
    /// What holds for its life.
    public let frequentPushesEnabled: Bool
    /// The phone's language, for support; alerts are put into words by the phone.
    public let locale: String?
    /// 1 and up; one more with each new token.
    public let generation: Int
    /// When the server first knew it.
    public let registeredAt: Date
}

/// Which APNs takes the pushes: an app built by Xcode is in the sandbox, one from TestFlight or the store is not.
public enum PushEnvironment: String, Codable, Hashable, Sendable {
    /// `api.push.apple.com`.
    case production
    /// `api.sandbox.push.apple.com`.
    case sandbox
    /// `apns-simulator`, which stands in for both.
    case simulator
}

struct SyncAnswer: Decodable {
    let released: [ActivityID]
}
