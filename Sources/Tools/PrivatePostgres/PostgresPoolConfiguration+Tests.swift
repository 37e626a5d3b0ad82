public import PostgresClient

extension PostgresPool.Configuration {
    /// Returns a configuration with long time limits, for tests on a busy machine that are not about time limits.
    public static func forTests(uri: String, maximumConnections: Int) -> Self {
        Self(
            uri: uri,
            maximumConnections: maximumConnections,
            waitLimit: .seconds(60),
            connectTimeout: .seconds(60)
        )
    }
}
