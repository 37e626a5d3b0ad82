/// What a client is doing, and what has kept it from doing more.
public struct HTTP2ClientStatistics: Hashable, Sendable {
    /// Connections that take requests now.
    public var connections = 0
    /// Connections that are coming up, or finish what they have and take nothing more.
    public var otherConnections = 0
    /// Requests that have a stream and no answer yet.
    public var streams = 0
    /// Requests that wait for a stream now.
    public var queued = 0
    /// How often requests had to wait since the peer allowed no more streams; counted by turns of the loop.
    public var blockedOnStreams = 0
    /// How often requests had to wait since the peer's window for bodies was used up; counted by turns of the loop.
    public var blockedOnWindow = 0
}
