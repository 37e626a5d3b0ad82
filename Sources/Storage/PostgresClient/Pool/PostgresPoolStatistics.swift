/// The current use of a pool.
public struct PostgresPoolStatistics: Hashable, Sendable {
    /// The maximum number of connections.
    public let limit: Int
    /// The number of connections in use, including connections being opened or checked.
    public let inUse: Int
    /// The number of idle connections.
    public let idle: Int
    /// The number of requests waiting for a connection.
    public let waiting: Int
}
