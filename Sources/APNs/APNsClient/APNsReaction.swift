/// What a sender does about a refusal.
public enum APNsReaction: Hashable, Sendable {
    /// Try again later, with backoff and with the state as it is then.
    case retry
    /// The provider token is too old. The client has renewed it and tried again where it may; so: retry later.
    case renewToken
    /// The provider token changed too often on its connection. The client keeps the one it has; so: send nothing more
    /// this way for a while, and then try again.
    case pauseRoute
    /// Never use this device token again.
    case forgetToken
    /// Never use this channel again: make another one and tell the apps.
    case forgetChannel
    /// Delete channels that nobody needs, then try again: the app has as many as it may.
    case deleteChannels
    /// Send nothing more this way and tell an operator: the key, the team or the topic is wrong.
    case stopRoute
    /// Drop this push: it is malformed, and so would be another try.
    case dropMessage
    /// Another connection is needed, which the client sees to; try again then.
    case reconnect

    /// For a reason that nobody has told us of, by the class of the status.
    init(status: Int) {
        switch status {
        case 410: self = .forgetToken
        case 403: self = .stopRoute
        case 429, 500...: self = .retry
        default: self = .dropMessage
        }
    }
}
