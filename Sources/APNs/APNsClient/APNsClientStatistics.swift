import HTTP2Transport

/// The statistics of a client's connections for pushes.
public struct APNsClientStatistics: Hashable, Sendable {
    /// The number of connections that accept pushes.
    public var connections = 0
    /// The number of connections that connect or drain.
    public var otherConnections = 0
    /// The number of pushes in flight.
    public var streams = 0
    /// The number of pushes that wait for a stream.
    public var queued = 0
    /// The number of times that pushes waited because of APNs' limit of streams; restarts after a change of the key.
    public var blockedOnStreams = 0
    /// The number of times that pushes waited because of APNs' flow-control window; restarts after a change of the key.
    public var blockedOnWindow = 0
    /// The age of the current provider token; nil before the first.
    public var providerTokenAge: Duration?
}

extension APNsClient {
    /// Returns the current statistics, including the draining connections of a replaced key.
    public func statistics() async -> APNsClientStatistics {
        var sum = APNsClientStatistics()
        for connections in keyConnections {
            let statistics = await connections.statistics()
            sum.connections += statistics.connections
            sum.otherConnections += statistics.otherConnections
            sum.streams += statistics.streams
            sum.queued += statistics.queued
            sum.blockedOnStreams += statistics.blockedOnStreams
            sum.blockedOnWindow += statistics.blockedOnWindow
        }
        sum.providerTokenAge = keyConnections.last?.tokenAge(at: now())
        return sum
    }
}
