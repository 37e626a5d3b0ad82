import HTTP2Transport

/// What a client is doing, over the connections for pushes.
public struct APNsClientStatistics: Hashable, Sendable {
    /// Connections that take pushes now.
    public var connections = 0
    /// Connections that are coming up, or finish what they have and take nothing more.
    public var otherConnections = 0
    /// Pushes that have a stream and no answer yet.
    public var streams = 0
    /// Pushes that wait for a stream.
    public var queued = 0
    /// How often pushes had to wait since APNs allowed no more streams; begins anew with another provider key.
    public var blockedOnStreams = 0
    /// How often pushes had to wait since APNs' window for bodies was used up; begins anew with another provider key.
    public var blockedOnWindow = 0
    /// How old the provider token in use is; nil when none was signed yet.
    public var providerTokenAge: Duration?
}

extension APNsClient {
    /// What the client is doing now; of a key that was replaced also what is still under way.
    public func statistics() async -> APNsClientStatistics {
        var sum = APNsClientStatistics()
        for route in routes {
            let statistics = await route.statistics()
            sum.connections += statistics.connections
            sum.otherConnections += statistics.otherConnections
            sum.streams += statistics.streams
            sum.queued += statistics.queued
            sum.blockedOnStreams += statistics.blockedOnStreams
            sum.blockedOnWindow += statistics.blockedOnWindow
        }
        sum.providerTokenAge = routes.last?.tokenAge(at: now())
        return sum
    }
}
