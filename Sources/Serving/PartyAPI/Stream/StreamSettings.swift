/// How event streams work.
public struct StreamSettings: Sendable, Hashable {
    /// How long a node waits before it looks at the logs again, unless an engine in the same process rings.
    public var pollInterval: Duration
    /// The shortest time between two looks, however often it is rung for.
    public var spacing: Duration
    /// After how long a silence a stream gets a comment, so that proxies keep it, and clients who are gone are noticed.
    public var heartbeatInterval: Duration
    /// How often tokens and memberships are looked at again.
    public var checkInterval: Duration
    /// How long clients are asked to wait before they come back.
    public var retryAfter: Duration
    /// How many events may wait for a client who reads slowly, before it is disconnected: more than any tick brings.
    public var mostWaiting: Int
    /// How many streams a player may have open on a node: a phone needs one, and this leaves room for several devices and
    /// for connections that broke again and again, whose end is noticed at the next heartbeat only.
    public var mostOfPlayer: Int

    /// The settings of a node, with documented defaults.
    public init(
        pollInterval: Duration = .milliseconds(250),
        spacing: Duration = .milliseconds(20),
        heartbeatInterval: Duration = .seconds(15),
        checkInterval: Duration = .seconds(30),
        retryAfter: Duration = .seconds(2),
        mostWaiting: Int = 512,
        mostOfPlayer: Int = 32
    ) {
        self.pollInterval = pollInterval
        self.spacing = spacing
        self.heartbeatInterval = heartbeatInterval
        self.checkInterval = checkInterval
        self.retryAfter = retryAfter
        self.mostWaiting = mostWaiting
        self.mostOfPlayer = mostOfPlayer
    }
}
