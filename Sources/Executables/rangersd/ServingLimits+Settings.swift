import HTTPServing
import NodeSettings
import RangersSettings

extension ServingLimits {
    /// Creates the limits from the settings.
    init(_ settings: ServingSettings) {
        self.init(
            headerTimeout: settings.headerTimeout,
            bodyTimeout: settings.bodyTimeout,
            requestTimeout: settings.requestTimeout,
            sendTimeout: settings.answerTimeout,
            idleTimeout: settings.idleTimeout,
            maxConnections: settings.connections
        )
    }
}
