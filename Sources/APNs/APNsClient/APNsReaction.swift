/// The reaction of a sender to a rejection.
public enum APNsReaction: Hashable, Sendable {
    /// Retry later, with backoff, and send the newest state then.
    case retry
    /// The provider token is too old: retry later.
    ///
    /// The client has already retried with a new token, unless it was too early to renew the token.
    case renewToken
    /// The provider token changed too often on its connection: pause, then retry.
    ///
    /// The client keeps the current token.
    case pauseSending
    /// Delete the device token, and never use it again.
    case forgetToken
    /// Delete the channel; create another one for the apps.
    case forgetChannel
    /// Delete unused channels, then retry: the app has the maximum number of channels.
    case deleteChannels
    /// Stop sending and notify an operator: the key, the team or the topic is wrong.
    case stopSending
    /// Drop the push, which is malformed: another attempt would fail, too.
    case dropMessage
    /// Retry on another connection, which the client opens.
    case reconnect

    /// Creates the reaction to an undocumented reason from the status.
    init(status: Int) {
        switch status {
        case 410: self = .forgetToken
        case 403: self = .stopSending
        case 429, 500...: self = .retry
        default: self = .dropMessage
        }
    }
}
