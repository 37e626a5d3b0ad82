public import HTTPServing

extension ServingLimits {
    /// Creates the limits from the settings.
    public init(_ settings: ServingSettings) {
        self.init(
            headerTimeout: settings.headerTimeout,
            bodyTimeout: settings.bodyTimeout,
            requestTimeout: settings.requestTimeout,
            sendTimeout: settings.sendTimeout,
            idleTimeout: settings.idleTimeout,
            maxConnections: settings.maxConnections
        )
    }
}
