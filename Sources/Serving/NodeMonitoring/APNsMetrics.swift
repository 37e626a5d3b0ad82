import APNsClient
import RangersMetrics

/// The metrics of connections to APNs.
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
            "Connections to APNs by state: \"open\" accepts pushes, \"other\" is connecting or draining.",
            by: Connections.self
        )
        streams = registry.gauges(
            "rangers_apns_streams",
            "HTTP/2 streams to APNs that wait for their response.",
            by: Environment.self
        )
        queued = registry.gauges(
            "rangers_apns_queued_pushes",
            "Pushes that wait for a free HTTP/2 stream.",
            by: Environment.self
        )
        blocked = registry.counters(
            "rangers_apns_blocked_total",
            "How often pushes had to wait for a limit of APNs: concurrent streams, or the flow-control window.",
            by: Bound.self
        )
        tokenAge = registry.gauges(
            "rangers_apns_provider_token_age_seconds",
            "Age of the provider token. It is renewed at 3000 s; APNs rejects it from 3600 s on.",
            by: Environment.self
        )
    }

    func update(_ statistics: APNsClientStatistics, of name: String) {
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
