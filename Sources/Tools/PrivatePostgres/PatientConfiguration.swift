public import PostgresClient

extension PostgresPool.Configuration {
    /// For tests that are not about waiting: beside many others on a busy machine, a connection may take long to be made.
    public static func patient(uri: String, maximumConnections: Int) -> Self {
        Self(
            uri: uri,
            maximumConnections: maximumConnections,
            waitLimit: .seconds(60),
            connectTimeout: .seconds(60)
        )
    }
}
