import PartyAPI
import RangersSettings

extension ServingLimits {
    /// The limits that operators have set.
    init(_ settings: ServingSettings) {
        self.init(
            headerTimeout: settings.headerTimeout,
            bodyTimeout: settings.bodyTimeout,
            requestTimeout: settings.requestTimeout,
            answerTimeout: settings.answerTimeout,
            idleTimeout: settings.idleTimeout,
            connections: settings.connections
        )
    }
}
