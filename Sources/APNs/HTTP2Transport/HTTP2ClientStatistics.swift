/// The state of a client, and the number of times that limits blocked its requests.
public struct HTTP2ClientStatistics: Hashable, Sendable {
    /// The number of connections that accept requests.
    public var connections = 0
    /// The number of connections that connect or drain.
    public var otherConnections = 0
    /// The number of requests in flight.
    public var streams = 0
    /// The number of requests that wait for a stream.
    public var queued = 0
    /// The number of loop turns in which requests waited because of the peer's limit of streams.
    public var blockedOnStreams = 0
    /// The number of loop turns in which requests waited because of the peer's flow-control window.
    public var blockedOnWindow = 0
}
