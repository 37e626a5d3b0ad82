import APNsClient
import RangersMetrics

/// Connections to APNs.
struct APNsMetrics: Sendable {
    struct Environment: MetricLabels {
        static let names = ["environment"]
        let environment: String
        var values: [String] { [environment] }
    }

    struct Connections: MetricLabels {
        static let names = ["environment", "state"]
        let environment: String
        let state: String
        var values: [String] { [environment, state] }
    }

    struct Bound: MetricLabels {
        static let names = ["environment", "bound"]
        let environment: String
        let bound: String
        var values: [String] { [environment, bound] }
    }

    private let connections: Gauges<Connections>
    private let streams: Gauges<Environment>
    private let queued: Gauges<Environment>
    private let blocked: Counters<Bound>
    private let tokenAge: Gauges<Environment>

    init(in registry: MetricRegistry) {
        connections = registry.gauges(
            "rangers_apns_connections",
            "Connections to APNs by state: those that take pushes, and others, which come up or drain.",
            by: Connections.self
        )
        streams = registry.gauges(
            "rangers_apns_streams",
            "Streams of connections to APNs that wait for their answer.",
            by: Environment.self
        )
        queued = registry.gauges(
            "rangers_apns_queued_pushes",
            "Pushes that wait for a stream.",
            by: Environment.self
        )
        blocked = registry.counters(
            "rangers_apns_blocked_total",
            "How often pushes had to wait, by what APNs bounds: streams, or the window for bodies.",
            by: Bound.self
        )
        tokenAge = registry.gauges(
            "rangers_apns_provider_token_age_seconds",
            "Age of the provider token in use; renewed at 3000, refused by APNs from 3600 on.",
            by: Environment.self
        )
    }

    func take(_ statistics: APNsClientStatistics, of name: String) {
        let environment = Environment(environment: name)
        connections.set(Double(statistics.connections), of: Connections(environment: name, state: "open"))
        connections.set(Double(statistics.otherConnections), of: Connections(environment: name, state: "other"))
        streams.set(Double(statistics.streams), of: environment)
        queued.set(Double(statistics.queued), of: environment)
        blocked.set(Double(statistics.blockedOnStreams), of: Bound(environment: name, bound: "streams"))
        blocked.set(Double(statistics.blockedOnWindow), of: Bound(environment: name, bound: "window"))
        if let age = statistics.providerTokenAge { tokenAge.set(age / .seconds(1), of: environment) }
    }
}
