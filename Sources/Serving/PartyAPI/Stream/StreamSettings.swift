/// The settings of event streams.
public struct StreamSettings: Sendable, Hashable {
    /// The interval between two reads of the logs, unless an engine in the same process wakes the feed.
    public var pollInterval: Duration
    /// The minimum time between two reads of the logs, however often the engine wakes the feed.
    public var minimumSpacing: Duration
    /// The time without events after which a stream gets a comment.
    ///
    /// Comments prevent proxies from closing the connection, and reveal disconnected clients.
    public var heartbeatInterval: Duration
    /// The interval at which the tokens and memberships of all streams are checked again.
    public var checkInterval: Duration
    /// The delay before clients reconnect, which the server sends as `retry`.
    public var retryAfter: Duration
    /// The maximum number of buffered frames of a slow client, more than any tick produces.
    ///
    /// Beyond it the client is disconnected.
    public var maxBufferedFrames: Int
    /// The maximum number of streams of a player on a node.
    ///
    /// A device needs one. The default leaves room for several devices, and for broken connections, which are detected
    /// only at the next heartbeat.
    public var maxStreamsPerPlayer: Int
    /// The maximum number of streams of all spectators with a link on a node; those at one address may have
    /// ``maxStreamsPerPlayer``.
    public var maxStreamsPerLink: Int

    /// Creates settings; every argument has the default that the documentation names.
    public init(
        pollInterval: Duration = .milliseconds(250),
        minimumSpacing: Duration = .milliseconds(20),
        heartbeatInterval: Duration = .seconds(15),
        checkInterval: Duration = .seconds(30),
        retryAfter: Duration = .seconds(2),
        maxBufferedFrames: Int = 512,
        maxStreamsPerPlayer: Int = 32,
        maxStreamsPerLink: Int = 1_000
    ) {
        self.pollInterval = pollInterval
        self.minimumSpacing = minimumSpacing
        self.heartbeatInterval = heartbeatInterval
        self.checkInterval = checkInterval
        self.retryAfter = retryAfter
        self.maxBufferedFrames = maxBufferedFrames
        self.maxStreamsPerPlayer = maxStreamsPerPlayer
        self.maxStreamsPerLink = maxStreamsPerLink
    }
}
