/// What a pool is doing.
public struct PostgresPoolStatistics: Hashable, Sendable {
    /// How many connections there may be.
    public let limit: Int
    /// Connections in use now, those included that are being opened or looked after.
    public let lent: Int
    /// Connections that wait for somebody to use them.
    public let idle: Int
    /// Requests that wait for a connection now.
    public let waiting: Int
}
